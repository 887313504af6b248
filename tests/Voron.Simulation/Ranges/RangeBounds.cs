namespace Voron.Simulation.Ranges;

/// <summary>How much of everything there may be in one history.</summary>
internal sealed record RangeBounds
{
    internal RangeCarrier Carrier { get; init; } = RangeCarrier.Run;

    /// <summary>Transactions, with those that publish a merge.</summary>
    internal int Transactions { get; init; } = 4;

    internal int Merges { get; init; } = 2;

    internal int Checkpoints { get; init; } = 2;

    /// <summary>Power cuts, also within a recovery.</summary>
    internal int Cuts { get; init; } = 1;

    /// <summary>Readers, one at a time.</summary>
    internal int Readers { get; init; }

    /// <summary>Failed syncs and full disks.</summary>
    internal int Faults { get; init; }

    internal int RollBacks { get; init; }

    /// <summary>Changes of the leaves themselves, past the entries, as of a value that is too long for an entry.</summary>
    internal int Directs { get; init; }

    public override string ToString() =>
        $"{Carrier}, transactions {Transactions}, merges {Merges}, checkpoints {Checkpoints}, cuts {Cuts}, readers {Readers}, "
        + $"faults {Faults}, roll-backs {RollBacks}, changes past entries {Directs}";
}
