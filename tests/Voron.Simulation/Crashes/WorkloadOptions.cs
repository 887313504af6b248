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

    /// <summary>Values longer than a quarter of it are overflow values.</summary>
    internal int PageBytes { get; init; } = 8192;

    internal int BigTransactionBytes { get; init; } = 80 << 10;

    /// <summary>Transactions that are rolled back are as long as big ones.</summary>
    internal bool RollsBackMuch { get; init; }

    /// <summary>How many keys the letter Delete draws, with repeats; 0 for a few.</summary>
    internal int Deletes { get; init; }

    internal int ReaderSlots { get; init; } = 3;

    /// <summary>One commit in so many asks for less than durability; 0 for none.</summary>
    internal int BufferedOneIn { get; init; }

    /// <summary>Letters that generated workloads do not use.</summary>
    internal IReadOnlyList<WorkloadLetter> Without { get; init; } = [];
}
