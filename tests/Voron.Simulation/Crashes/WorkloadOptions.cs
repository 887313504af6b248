namespace Voron.Simulation.Crashes;

/// <summary>
/// The size of generated workloads. Keys are few, so that they are updated and deleted, and values are all different, so that a stale one
/// shows.
/// </summary>
internal sealed record WorkloadOptions
{
    internal int Steps { get; init; } = 12;

    internal int Keys { get; init; } = 24;

    internal int LongestKeyBytes { get; init; } = 24;

    internal int LeastSmallBytes { get; init; }

    internal int MostSmallBytes { get; init; } = 100;

    /// <summary>Values longer than half of it are overflow values, and most of those longer than a quarter.</summary>
    internal int PageBytes { get; init; } = 8192;

    /// <summary>
    /// How many overflow values the letter PutOverflow puts; with more than one a value that stays in its page follows each.
    /// </summary>
    internal int OverflowPuts { get; init; } = 1;

    internal int BigTransactionBytes { get; init; } = 80 << 10;

    /// <summary>Transactions that are rolled back are as long as big ones.</summary>
    internal bool RollsBackMuch { get; init; }

    /// <summary>How many keys the letter Delete draws, with repeats; 0 for a few.</summary>
    internal int Deletes { get; init; }

    internal int ReaderSlots { get; init; } = 3;

    /// <summary>One commit in so many asks for less than durability; 0 for none.</summary>
    internal int BufferedOneIn { get; init; }

    /// <summary>One letter Delete in so many deletes all keys between two; 0 for none.</summary>
    internal int RangeOneIn { get; init; }

    /// <summary>One letter Update in so many gives a tree its other name; 0 for none.</summary>
    internal int RenameOneIn { get; init; }

    /// <summary>One commit in so many waits asynchronously; 0 for none.</summary>
    internal int AsyncOneIn { get; init; }

    /// <summary>One commit in so many of the others asks for nothing; 0 for none.</summary>
    internal int LazyOneIn { get; init; }

    /// <summary>Letters that generated workloads do not use.</summary>
    internal IReadOnlyList<WorkloadLetter> Without { get; init; } = [];
}
