namespace Voron.Simulation.Ranges;

/// <summary>Write transactions, the journal writes that make them durable, and readers.</summary>
internal static class RangeWriter
{
    internal const byte Put = 1;
    internal const byte Delete = 2;
    internal const byte Merge = 3;
    internal const byte Direct = 4;

    private const int MostNumber = RangeWorld.Transactions - 1;

    /// <summary>
    /// A transaction begins and adds an entry to a range, where only it sees it. It commits in the same step if it cannot be rolled back.
    /// </summary>
    internal static bool Begin(RangeStep step)
    {
        RangeWorld world = step.World;
        int transaction = world.Committed + 1;
        if (!MayCommit(step) || world.OpenKind != 0)
        {
            return false;
        }

        int range = step.Choice.Next(RangeWorld.Ranges);
        byte kind = step.Choice.Next(world.Directs < step.Bounds.Directs ? 3 : 2) switch { 0 => Put, 1 => Delete, _ => Direct };
        if (kind == Delete && world.Value(world.Committed, range) == RangeWorld.Absent)
        {
            return false;
        }

        (world.OpenKind, world.OpenRange) = (kind, (byte)range);
        world.Directs += (byte)(kind == Direct ? 1 : 0);
        world.Entry(transaction, range) = kind == Direct ? RangeWorld.None : ValueOf(kind, transaction);
        string verb = kind switch { Put => "puts", Delete => "deletes", _ => "puts, in the leaves themselves," };
        step.Story?.Append($"transaction {transaction} begins and {verb} the key of range {range}");
        if (world.RollBacks == step.Bounds.RollBacks)
        {
            Commit(step);
        }

        return true;
    }

    internal static bool End(RangeStep step)
    {
        RangeWorld world = step.World;
        int transaction = world.Committed + 1;
        if (world.OpenKind == 0 || world.Poisoned != 0)
        {
            return false;
        }

        if (world.RollBacks < step.Bounds.RollBacks && step.Choice.Chance())
        {
            world.RollBacks++;
            step.Story?.Append($"transaction {transaction} is rolled back");
            if (!step.Breaks(RangeRule.KeepUndoneEntries))
            {
                world.Entry(transaction, world.OpenRange) = RangeWorld.None;
            }
        }
        else
        {
            step.Story?.Append($"transaction {transaction} has no other change");
            Commit(step);
        }

        world.OpenKind = world.OpenRange = 0;
        return true;
    }

    /// <summary>Whether a transaction may commit now.</summary>
    internal static bool MayCommit(RangeStep step) =>
        step.World.Poisoned == 0
        && step.World.Settling == 0
        && step.World.Committed < Math.Min(step.Bounds.Transactions, MostNumber);

    /// <summary>
    /// Makes the next version from the one before, as a put, a delete or a replay of one does: the branch stays, an entry is added or the
    /// leaves change, and a look-up says whether the count changes.
    /// </summary>
    internal static void Apply(RangeStep step, int transaction, byte kind, int range)
    {
        RangeWorld world = step.World;
        int before = transaction - 1;
        CopyVersion(world, transaction);
        if (kind is not (Put or Delete or Direct))
        {
            return;
        }

        bool isFound = world.Read(before, range, before) != RangeWorld.Absent;
        world.Count(transaction) += (byte)((kind == Delete ? 0 : 1) - (isFound ? 1 : 0));
        if (kind != Direct)
        {
            world.Entry(transaction, range) = ValueOf(kind, transaction);
        }
        else if (!step.Breaks(RangeRule.KeepEntryOverDirect)
            || world.Newest(before, world.Floor(before, range), range) == RangeWorld.None)
        {
            world.Direct(transaction, range) = (byte)transaction;
        }
    }

    internal static byte ValueOf(byte kind, int transaction) => kind == Delete ? RangeWorld.Absent : (byte)transaction;

    internal static void CopyVersion(RangeWorld world, int transaction)
    {
        int before = transaction - 1;
        for (int range = 0; range < RangeWorld.Ranges; range++)
        {
            world.Value(transaction, range) = world.Value(before, range);
            world.Extent(transaction, range) = world.Extent(before, range);
            world.Merged(transaction, range) = world.Merged(before, range);
            world.Direct(transaction, range) = world.Direct(before, range);
        }

        world.Count(transaction) = world.Count(before);
    }

    /// <summary>A journal write ends. It may have begun at any time before.</summary>
    internal static bool WriteJournal(RangeStep step)
    {
        RangeWorld world = step.World;
        if (world.Poisoned != 0 || world.Settling != 0 || world.Committed == world.Durable)
        {
            return false;
        }

        for (int transaction = world.Durable + 1; transaction <= world.Committed; transaction++)
        {
            world.Record(transaction) = 1;
        }

        world.Durable = world.Committed;
        step.Story?.Append($"transaction {world.Durable} is durable and visible");
        return true;
    }

    /// <summary>A reader begins at the newest visible snapshot, or ends.</summary>
    internal static bool Read(RangeStep step)
    {
        RangeWorld world = step.World;
        if (world.Reader != RangeWorld.None)
        {
            step.Story?.Append($"the reader of snapshot {world.Reader} ends");
            world.Reader = RangeWorld.None;
            return true;
        }

        if (world.Settling != 0 || world.Readers >= step.Bounds.Readers)
        {
            return false;
        }

        world.Readers++;
        world.Reader = world.Durable;
        step.Story?.Append($"a reader begins at snapshot {world.Durable}");
        return true;
    }

    private static void Commit(RangeStep step)
    {
        RangeWorld world = step.World;
        int transaction = world.Committed + 1;
        step.Story?.Append(" and commits");
        Apply(step, transaction, world.OpenKind, world.OpenRange);
        world.Value(transaction, world.OpenRange) = ValueOf(world.OpenKind, transaction);
        (world.Kind(transaction), world.Changed(transaction)) = (world.OpenKind, world.OpenRange);
        world.Committed = (byte)transaction;
        world.OpenKind = world.OpenRange = 0;
    }
}
