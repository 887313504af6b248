namespace Voron.Simulation.Ranges;

/// <summary>What must hold in every state, and what memory and the model forget after every step.</summary>
internal static class RangeSnapshots
{
    /// <summary>Compares all snapshots that can be read with the truth.</summary>
    internal static void CompareAll(RangeStep step)
    {
        RangeWorld world = step.World;
        for (int snapshot = world.Durable; snapshot <= world.Committed; snapshot++)
        {
            Compare(step, snapshot, snapshot == world.Durable ? "the newest visible snapshot" : "a committed snapshot");
        }

        if (world.Reader != RangeWorld.None)
        {
            Compare(step, world.Reader, "the reader");
        }

        if (world.CheckpointPhase != 0)
        {
            Compare(step, world.Pinned, "the checkpoint");
        }
    }

    internal static void Compare(RangeStep step, int snapshot, string what)
    {
        RangeWorld world = step.World;
        int version = step.Breaks(RangeRule.ReadNewestVersion) ? Math.Max(world.Committed, snapshot) : snapshot;
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            byte value = world.Read(snapshot, range, version);
            if (value != world.Value(snapshot, range))
            {
                step.Violate(
                    $"{what}, {snapshot}: range {range} reads {Name(value)} instead of {Name(world.Value(snapshot, range))}");
            }
        }

        if (world.Count(snapshot) != world.TrueCount(snapshot))
        {
            step.Violate($"{what}, {snapshot}: the count is {(sbyte)world.Count(snapshot)} instead of {world.TrueCount(snapshot)}");
        }
    }

    /// <summary>Entries leave memory at the first moment at which they may, so that a rule that is broken shows at once.</summary>
    internal static void FreeEntries(RangeStep step)
    {
        RangeWorld world = step.World;
        for (int transaction = 1; transaction <= world.Committed; transaction++)
        {
            for (int range = 0; range < RangeWorld.Ranges; range++)
            {
                if (world.Entry(transaction, range) != RangeWorld.None && !IsSeen(step, transaction, range))
                {
                    world.Entry(transaction, range) = RangeWorld.None;
                }
            }
        }
    }

    /// <summary>Forgets what no snapshot needs that can still be read or recovered, so that equal futures are equal states.</summary>
    internal static void ForgetPast(RangeWorld world)
    {
        int oldest = Math.Min(world.Durable, world.Reader == RangeWorld.None ? (byte)RangeWorld.Transactions : world.Reader);
        for (int number = 0; number < 2; number++)
        {
            oldest = world.SetState(number) == 0 ? oldest : Math.Min(oldest, world.SetSnapshot(number));
        }

        for (int transaction = 0; transaction < oldest; transaction++)
        {
            for (int range = 0; range < RangeWorld.Ranges; range++)
            {
                world.Value(transaction, range) = world.Extent(transaction, range) = 0;
                world.Merged(transaction, range) = world.Direct(transaction, range) = 0;
            }

            world.Count(transaction) = 0;
        }

        for (int place = 0; place < RangeWorld.Places; place++)
        {
            if (!IsNamed(world, place, withReserved: true))
            {
                world.Cache(place) = world.Device(place) = RangeWorld.Torn;
                world.Dirty &= (byte)~(1 << place);
                world.Lost &= (byte)~(1 << place);
            }
        }
    }

    /// <summary>Whether leaves in the place can still be read or recovered, or are being written there.</summary>
    internal static bool IsNamed(RangeWorld world, int place, bool withReserved)
    {
        bool isNamed = withReserved && world.MergePhase != 0 && world.MergePlace == place;
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            for (int snapshot = 0; snapshot <= world.Committed; snapshot++)
            {
                bool isPinned = world.CheckpointPhase != 0 && snapshot == world.Pinned;
                bool isLive = snapshot >= world.Durable || snapshot == world.Reader || isPinned;
                isNamed |= isLive && world.Extent(snapshot, range) == place;
                isNamed |= world.RecordPlace(snapshot) != 0 && (world.RecordPlace(snapshot) & 15) == place;
            }

            isNamed |= world.SetState(0) != 0 && world.SetExtent(0, range) == place;
            isNamed |= world.SetState(1) != 0 && world.SetExtent(1, range) == place;
        }

        return isNamed;
    }

    /// <summary>Whether a snapshot that can be read finds the entry in memory and not in its leaves.</summary>
    private static bool IsSeen(RangeStep step, int transaction, int range)
    {
        RangeWorld world = step.World;
        int oldest = step.Breaks(RangeRule.FreeInDoubt) ? world.Committed : world.Durable;
        for (int snapshot = oldest; snapshot <= world.Committed; snapshot++)
        {
            if (IsSeenAt(world, snapshot, transaction, range))
            {
                return true;
            }
        }

        bool isRead = world.Reader != RangeWorld.None && !step.Breaks(RangeRule.FreeUnderReader);
        bool isWritten = world.CheckpointPhase != 0 && !step.Breaks(RangeRule.FreeUnderCheckpoint);
        return (isRead && IsSeenAt(world, world.Reader, transaction, range))
            || (isWritten && IsSeenAt(world, world.Pinned, transaction, range));
    }

    private static bool IsSeenAt(RangeWorld world, int snapshot, int transaction, int range) =>
        transaction <= snapshot && transaction > world.Floor(snapshot, range);

    private static string Name(byte value) => value switch
    {
        RangeWorld.Absent => "nothing",
        RangeWorld.Initial => "the first value",
        RangeWorld.Torn => "torn or foreign leaves",
        _ => $"the value of transaction {value}",
    };
}
