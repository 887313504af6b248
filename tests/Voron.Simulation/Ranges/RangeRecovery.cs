namespace Voron.Simulation.Ranges;

/// <summary>
/// The open after a cut. Finding changes nothing on disk: the newest complete image set is the base and must be exactly its N; its entries
/// are loaded; records after N are replayed. Settling writes a slot. A cut may come at any point of it.
/// </summary>
internal static class RangeRecovery
{
    /// <param name="step">The step.</param>
    /// <param name="last">The last record of the journal that the cut has left.</param>
    internal static void Find(RangeStep step, int last)
    {
        RangeWorld world = step.World;
        int number = NewestSet(world);
        if (number < 0)
        {
            step.Violate("no image set is complete");
            return;
        }

        for (int transaction = world.Durable + 1; transaction <= last; transaction++)
        {
            world.Record(transaction) = 1;
        }

        int snapshot = world.SetSnapshot(number);
        Forget(world, snapshot, last);
        world.Base = (byte)number;
        world.Settling = 1;
        step.Story?.Append($" the open finds checkpoint {number} with N = {snapshot}, and records up to {last}");
        LoadBase(step, number);
        Judge(step, snapshot, "the base");
        Replay(step, snapshot, last);
        LoadLate(step, number, last);
        (world.Committed, world.Durable) = ((byte)last, (byte)last);
        if (step.Breaks(RangeRule.DropLoadedRun))
        {
            RangeCheckpoint.DropEntries(world, number);
        }
    }

    internal static bool Settle(RangeStep step)
    {
        RangeWorld world = step.World;
        if (world.Settling == 0)
        {
            return false;
        }

        step.Story?.Append($"recovery places images, syncs, and its slot names checkpoint {world.Base}: the database is open");
        RangeCheckpoint.NameSet(step, world.Base);
        world.Settling = 0;
        return true;
    }

    private static int NewestSet(RangeWorld world)
    {
        int newest = -1;
        for (int number = 0; number < 2; number++)
        {
            if (world.SetState(number) == RangeCheckpoint.Complete)
            {
                newest = Math.Max(newest, world.SetNumber(number));
            }
        }

        return newest;
    }

    /// <summary>Forgets all that was in memory. What was true up to the last record stays, to be compared with.</summary>
    private static void Forget(RangeWorld world, int snapshot, int last)
    {
        for (int transaction = 0; transaction < RangeWorld.Transactions; transaction++)
        {
            for (int range = 0; range < RangeWorld.Ranges; range++)
            {
                world.Entry(transaction, range) = RangeWorld.None;
                world.Extent(transaction, range) = world.Merged(transaction, range) = world.Direct(transaction, range) = 0;
                world.Value(transaction, range) = transaction > last ? RangeWorld.Absent : world.Value(transaction, range);
            }

            world.Count(transaction) = 0;
            if (transaction > last)
            {
                world.Record(transaction) = world.Kind(transaction) = world.Changed(transaction) = 0;
                world.RecordPlace(transaction) = 0;
            }
        }

        world.Committed = world.Durable = (byte)snapshot;
        world.OpenKind = world.OpenRange = world.CheckpointPhase = world.Pinned = world.Poisoned = 0;
        world.MergePhase = world.MergeRange = world.MergedUpTo = world.MergePlace = world.MergeContent = 0;
        world.Reader = RangeWorld.None;
    }

    private static void LoadBase(RangeStep step, int number)
    {
        RangeWorld world = step.World;
        int snapshot = world.SetSnapshot(number);
        world.Count(snapshot) = world.SetCount(number);
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            world.Extent(snapshot, range) = world.SetExtent(number, range);
            world.Merged(snapshot, range) = world.SetMerged(number, range);
            world.Direct(snapshot, range) = world.SetDirect(number, range);
            if (!step.Breaks(RangeRule.LoadAfterReplay))
            {
                Load(step, number, range, snapshot);
            }
        }

        if (step.Bounds.Carrier == RangeCarrier.Journal)
        {
            ScanJournal(step, world.SetPosition(number), snapshot);
        }
    }

    private static void Load(RangeStep step, int number, int range, int transaction)
    {
        RangeWorld world = step.World;
        byte entry = world.SetEntry(number, range);
        if (entry == RangeWorld.None)
        {
            return;
        }

        world.Entry(transaction, range) = entry;
        if (step.Breaks(RangeRule.CountLoaded) && entry != RangeWorld.Absent)
        {
            world.Count(transaction)++;
        }
    }

    private static void LoadLate(RangeStep step, int number, int last)
    {
        for (int range = 0; range < RangeWorld.Ranges && step.Breaks(RangeRule.LoadAfterReplay); range++)
        {
            Load(step, number, range, last);
        }
    }

    /// <summary>Finds the pending entries of N in the journal: those after the transaction up to which their range is merged.</summary>
    private static void ScanJournal(RangeStep step, int position, int snapshot)
    {
        RangeWorld world = step.World;
        for (int transaction = position + 1; transaction <= snapshot; transaction++)
        {
            int range = world.Changed(transaction);
            if (world.Record(transaction) == 0)
            {
                step.Violate($"record {transaction}, which may hold a pending entry, is gone");
            }

            if (world.Kind(transaction) is not (RangeWriter.Put or RangeWriter.Delete) || transaction <= world.Merged(snapshot, range))
            {
                continue;
            }

            // A later change past the entries has removed this one; leaves do not say which transaction changed which of their keys.
            bool isRemoved = transaction < world.Direct(snapshot, range);
            bool isFound = world.Read(snapshot, range, snapshot) != RangeWorld.Absent;
            int at = isRemoved && step.Breaks(RangeRule.ScanPutsOnly) ? snapshot : transaction;
            world.Entry(at, range) = RangeWriter.ValueOf(world.Kind(transaction), transaction);
            if (step.Breaks(RangeRule.CountAgain))
            {
                world.Count(snapshot) += (byte)((world.Kind(transaction) == RangeWriter.Put ? 1 : 0) - (isFound ? 1 : 0));
            }
        }
    }

    private static void Replay(RangeStep step, int snapshot, int last)
    {
        RangeWorld world = step.World;
        for (int transaction = snapshot + 1; transaction <= last; transaction++)
        {
            if (world.Record(transaction) == 0)
            {
                step.Violate($"record {transaction} is gone");
            }

            byte[] truth = [world.Value(transaction, 0), world.Value(transaction, 1)];
            RangeWriter.Apply(step, transaction, world.Kind(transaction), world.Changed(transaction));
            (world.Value(transaction, 0), world.Value(transaction, 1)) = (truth[0], truth[1]);
            if (step.Breaks(RangeRule.ReplayMerges) && world.Kind(transaction) == RangeWriter.Merge)
            {
                world.Extent(transaction, world.Changed(transaction)) = (byte)(world.RecordPlace(transaction) & 15);
                world.Merged(transaction, world.Changed(transaction)) = (byte)(world.RecordPlace(transaction) >> 4);
            }

            // No reader sees the states between.
            if (transaction == last)
            {
                Judge(step, transaction, "the state after replay");
            }
        }
    }

    /// <summary>Compares what recovery has made. If the run is loaded late, nothing is shown before that either.</summary>
    private static void Judge(RangeStep step, int snapshot, string what)
    {
        if (!step.Breaks(RangeRule.LoadAfterReplay))
        {
            RangeSnapshots.Compare(step, snapshot, what);
        }
    }
}
