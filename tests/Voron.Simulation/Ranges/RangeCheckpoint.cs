namespace Voron.Simulation.Ranges;

/// <summary>
/// A checkpoint: N is pinned, the image set gets the branches, the count and the pending entries of N, then its head; held pages are
/// placed and synced; a header slot names the set; what only the checkpoint before needed is recycled.
/// <para>The set has no straight pages, so no sync of its own precedes it: that new leaves are on the device is only the merge's work.
/// </para>
/// </summary>
internal static class RangeCheckpoint
{
    internal const byte SetInFlight = 2;
    internal const byte Incomplete = 1;
    internal const byte Complete = 2;

    private const byte Pinned = 1;
    private const byte SlotInFlight = 3;

    internal static bool Go(RangeStep step) => step.World.Poisoned == 0 && step.World.Settling == 0 && step.World.CheckpointPhase switch
    {
        Pinned => BeginSet(step),
        SetInFlight => EndSet(step),
        SlotInFlight => Finish(step),
        _ => Begin(step),
    };

    /// <summary>Forgets the records up to a transaction.</summary>
    internal static void Recycle(RangeWorld world, int upTo)
    {
        for (int transaction = 1; transaction <= upTo; transaction++)
        {
            world.Record(transaction) = world.Kind(transaction) = world.Changed(transaction) = world.RecordPlace(transaction) = 0;
        }
    }

    /// <summary>The slot is durable, so the set before it is not needed any more.</summary>
    internal static void NameSet(RangeStep step, byte number)
    {
        RangeWorld world = step.World;
        world.Base = number;
        Clear(world, number + 1);
        if (step.Breaks(RangeRule.RecyclePlacedSet))
        {
            DropEntries(world, number);
        }
    }

    internal static void DropEntries(RangeWorld world, int number)
    {
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            world.SetEntry(number, range) = RangeWorld.None;
        }
    }

    internal static void Clear(RangeWorld world, int number)
    {
        world.SetState(number) = world.SetNumber(number) = world.SetSnapshot(number) = world.SetCount(number) = 0;
        world.SetPosition(number) = 0;
        DropEntries(world, number);
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            world.SetExtent(number, range) = world.SetMerged(number, range) = world.SetDirect(number, range) = 0;
        }
    }

    private static bool Begin(RangeStep step)
    {
        RangeWorld world = step.World;
        if (world.Checkpoints >= step.Bounds.Checkpoints || world.Durable == world.SetSnapshot(world.Base))
        {
            return false;
        }

        world.Checkpoints++;
        (world.CheckpointPhase, world.Pinned) = (Pinned, world.Durable);
        step.Story?.Append($"checkpoint {world.Base + 1} pins N = {world.Pinned}");
        return true;
    }

    private static bool BeginSet(RangeStep step)
    {
        RangeWorld world = step.World;
        int number = world.Base + 1;
        int snapshot = world.Pinned;
        world.SetState(number) = Incomplete;
        (world.SetNumber(number), world.SetSnapshot(number)) = ((byte)number, (byte)snapshot);
        (world.SetCount(number), world.SetPosition(number)) = (world.Count(snapshot), (byte)snapshot);
        step.Story?.Append($"image set {number} is being written:");
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            world.SetExtent(number, range) = world.Extent(snapshot, range);
            world.SetMerged(number, range) = world.Merged(snapshot, range);
            world.SetDirect(number, range) = world.Direct(snapshot, range);
            AddEntries(step, number, range);
        }

        if (step.Breaks(RangeRule.ReplaceRun))
        {
            DropEntries(world, world.Base);
        }

        if (step.Breaks(RangeRule.RecycleBeforeComplete))
        {
            Recycle(world, world.SetPosition(number));
        }

        world.CheckpointPhase = SetInFlight;
        return true;
    }

    /// <summary>Takes what is pending at N: the newest entry up to N of those that the leaves named by N do not contain.</summary>
    private static void AddEntries(RangeStep step, int number, int range)
    {
        RangeWorld world = step.World;
        int snapshot = world.Pinned;
        int after = world.Floor(snapshot, range);
        if (step.Breaks(RangeRule.TakeNewestVersion) || step.Breaks(RangeRule.PositionOfNewest))
        {
            after = world.Floor(world.Committed, range);
        }
        else if (step.Breaks(RangeRule.TakeMergedEntries))
        {
            after = 0;
        }

        if (step.Bounds.Carrier == RangeCarrier.Journal)
        {
            NotePosition(world, number, range, after);
            return;
        }

        byte entry = world.Newest(step.Breaks(RangeRule.TakeLaterEntries) ? world.Committed : snapshot, after, range);
        bool isLeftOut = (step.Breaks(RangeRule.LeaveEntriesOut) && world.MergePhase != 0 && world.MergeRange == range)
            || (step.Breaks(RangeRule.LeaveDeletesOut) && entry == RangeWorld.Absent);
        world.SetEntry(number, range) = isLeftOut ? RangeWorld.None : entry;
        step.Story?.Append($" range {range} {(world.SetEntry(number, range) == RangeWorld.None ? "without an entry" : $"with {entry}")}");
    }

    private static void NotePosition(RangeWorld world, int number, int range, int after)
    {
        for (int transaction = after + 1; transaction <= world.Pinned; transaction++)
        {
            if (world.Entry(transaction, range) != RangeWorld.None)
            {
                world.SetPosition(number) = (byte)Math.Min(world.SetPosition(number), transaction - 1);
                return;
            }
        }
    }

    private static bool EndSet(RangeStep step)
    {
        RangeWorld world = step.World;
        int number = world.Base + 1;
        if (step.Fails())
        {
            step.Story?.Append($"the disk is full: image set {number} is abandoned");
            Clear(world, number);
            world.CheckpointPhase = world.Pinned = 0;
            return true;
        }

        step.Story?.Append($"image set {number} is complete, held pages are placed and synced");
        world.SetState(number) = Complete;
        world.CheckpointPhase = SlotInFlight;
        world.Poisoned = (byte)(step.SyncData() ? 0 : 1);
        return true;
    }

    private static bool Finish(RangeStep step)
    {
        RangeWorld world = step.World;
        byte number = (byte)(world.Base + 1);
        NameSet(step, number);
        bool keepsRecords = step.Bounds.Carrier == RangeCarrier.Journal && !step.Breaks(RangeRule.RecycleToSnapshot);
        Recycle(world, keepsRecords ? world.SetPosition(number) : world.Pinned);
        world.CheckpointPhase = world.Pinned = 0;
        step.Story?.Append($"the slot names checkpoint {number}; what is not needed any more is recycled");
        Punch(step);
        return true;
    }

    /// <summary>Gives back places that nothing needs: they have zeros from then on, which are no leaves.</summary>
    private static void Punch(RangeStep step)
    {
        for (int place = 0; place < RangeWorld.Places; place++)
        {
            if (!RangeSnapshots.IsNamed(step.World, place, withReserved: !step.Breaks(RangeRule.PunchReserved)))
            {
                step.Story?.Append($", place {place} is punched");
                step.World.Cache(place) = step.World.Device(place) = RangeWorld.Torn;
            }
        }
    }
}
