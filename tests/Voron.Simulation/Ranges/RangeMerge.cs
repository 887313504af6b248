namespace Voron.Simulation.Ranges;

/// <summary>
/// A merge beside everything else: the leaves of a range and its entries up to M become new leaves in a free place, which are synced; then
/// a transaction publishes a branch that names them. Its record names neither, so replay collects the entries again.
/// </summary>
internal static class RangeMerge
{
    private const byte Writing = 1;
    private const byte Written = 2;

    internal static bool Go(RangeStep step) => step.World.Poisoned == 0 && step.World.Settling == 0 && step.World.MergePhase switch
    {
        Writing => Write(step),
        Written => Publish(step),
        _ => Begin(step),
    };

    private static bool Begin(RangeStep step)
    {
        RangeWorld world = step.World;
        int range = step.Choice.Next(RangeWorld.Ranges);
        int upTo = world.Committed;
        if (step.Breaks(RangeRule.MergeOpenTransaction) && world.OpenKind != 0 && world.OpenRange == range)
        {
            upTo++;
        }

        int place = FindFree(step);
        byte entry = world.Newest(upTo, world.Floor(world.Committed, range), range);
        if (world.Merges >= step.Bounds.Merges || entry == RangeWorld.None || place < 0)
        {
            return false;
        }

        world.Merges++;
        (world.MergePhase, world.MergeRange, world.MergePlace) = (Writing, (byte)range, (byte)place);
        (world.MergedUpTo, world.MergeContent) = ((byte)upTo, RangeWorld.Content(range, entry));
        step.Write(place, RangeWorld.Torn);
        step.Story?.Append($"range {range} is merged up to transaction {upTo}: its new leaves are being written to place {place}");
        return true;
    }

    private static bool Write(RangeStep step)
    {
        RangeWorld world = step.World;
        step.Write(world.MergePlace, world.MergeContent);
        world.MergePhase = Written;
        step.Story?.Append($"the leaves in place {world.MergePlace} are written");
        if (step.Breaks(RangeRule.NameBeforeSync))
        {
            return true;
        }

        step.Story?.Append(" and synced");
        world.Poisoned = (byte)(step.SyncData() || step.Breaks(RangeRule.IgnoreFailedSync) ? 0 : 1);
        return true;
    }

    private static bool Publish(RangeStep step)
    {
        RangeWorld world = step.World;
        int transaction = world.Committed + 1;
        if (!RangeWriter.MayCommit(step) || world.OpenKind != 0)
        {
            return false;
        }

        int range = world.MergeRange;
        if (world.Direct(world.Committed, range) > world.MergedUpTo && !step.Breaks(RangeRule.PublishOverDirect))
        {
            step.Story?.Append($"the merge of range {range} is abandoned: the leaves that it read have changed");
            End(world);
            return true;
        }

        RangeWriter.CopyVersion(world, transaction);
        world.Extent(transaction, range) = world.MergePlace;
        world.Merged(transaction, range) = step.Breaks(RangeRule.RemoveLaterEntries) ? world.Committed : world.MergedUpTo;
        world.Direct(transaction, range) = 0;
        (world.Kind(transaction), world.Changed(transaction)) = (RangeWriter.Merge, (byte)range);
        if (step.Breaks(RangeRule.ReplayMerges))
        {
            world.RecordPlace(transaction) = (byte)((world.MergedUpTo << 4) | world.MergePlace);
        }

        world.Committed = (byte)transaction;
        step.Story?.Append($"transaction {transaction} publishes the merge: range {range} has its leaves in place {world.MergePlace}");
        End(world);
        return true;
    }

    private static void End(RangeWorld world) =>
        world.MergePhase = world.MergeRange = world.MergePlace = world.MergedUpTo = world.MergeContent = 0;

    /// <summary>Finds a place that nothing names that can be read or recovered; -1 if there is none.</summary>
    private static int FindFree(RangeStep step)
    {
        for (int place = 0; place < RangeWorld.Places; place++)
        {
            if (!IsNeeded(step, place))
            {
                return place;
            }
        }

        return -1;
    }

    private static bool IsNeeded(RangeStep step, int place)
    {
        RangeWorld world = step.World;
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            bool isNeeded = world.Extent(world.Committed, range) == place;
            isNeeded |= !step.Breaks(RangeRule.ReuseBeforeDurable) && world.SetExtent(world.Base, range) == place;
            isNeeded |= !step.Breaks(RangeRule.ReuseUnderReader)
                && world.Reader != RangeWorld.None && world.Extent(world.Reader, range) == place;
            isNeeded |= !step.Breaks(RangeRule.ReuseUnderCheckpoint)
                && world.CheckpointPhase != 0 && world.Extent(world.Pinned, range) == place;
            for (int doubt = world.Durable; doubt < world.Committed; doubt++)
            {
                isNeeded |= !step.Breaks(RangeRule.ReuseInDoubt) && world.Extent(doubt, range) == place;
            }

            if (isNeeded)
            {
                return true;
            }
        }

        return false;
    }
}
