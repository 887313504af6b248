using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>What kind of database a seed image is of. Chances are one in so many; 0 for never.</summary>
internal sealed record FuzzShape(string Name, FuzzEnd End = FuzzEnd.Killed)
{
    internal int Transactions { get; init; } = 14;

    internal int ChangesOfEach { get; init; } = 6;

    internal int Keys { get; init; } = 120;

    internal int LongestKeyBytes { get; init; } = 24;

    internal int LongestValueBytes { get; init; } = 90;

    internal int Trees { get; init; } = 2;

    /// <summary>Of values longer than a quarter of a page, most of which have runs.</summary>
    internal int OverflowOneIn { get; init; } = 12;

    /// <summary>Of overflow values that are written as streams, and so go to the data file in pieces.</summary>
    internal int StreamOneIn { get; init; } = 3;

    internal int DeleteOneIn { get; init; } = 6;

    internal int RangeOneIn { get; init; } = 30;

    /// <summary>Of transactions that give a tree another name, or drop it.</summary>
    internal int NameOneIn { get; init; }

    /// <summary>Of transactions that are rolled back to a savepoint in the middle, or as a whole.</summary>
    internal int RollbackOneIn { get; init; } = 8;

    internal int CheckpointOneIn { get; init; } = 5;

    /// <summary>Of checkpoints that a reader is opened before.</summary>
    internal int ReaderOneIn { get; init; } = 4;

    /// <summary>Transactions until such a reader ends.</summary>
    internal int ReaderStays { get; init; } = 3;

    internal int LazyOneIn { get; init; }

    /// <summary>Of transactions with twenty times as many changes.</summary>
    internal int BigOneIn { get; init; } = 7;

    /// <summary>Length of the parts in which transactions leave; null for the usual one.</summary>
    internal int? FragmentBytes { get; init; }

    /// <summary>
    /// The kind of all trees. In multi-value trees a pair is a row without a value. Rows of trees that are not ordered never have runs.
    /// </summary>
    internal TreeKind Kind { get; init; } = TreeKind.Ordered;

    /// <summary>Length of the keys of fixed-size trees: numbers of 8 bytes, or GUIDs.</summary>
    internal int FixedKeyBytes { get; init; } = sizeof(long);

    /// <summary>The common length of the values of multi-value trees, null for any length; of fixed-size trees it is given.</summary>
    internal int? ValueBytes { get; init; }

    /// <summary>Of how many values those of a key are drawn in multi-value trees.</summary>
    internal int Values { get; init; } = 400;
}
