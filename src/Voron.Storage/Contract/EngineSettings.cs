namespace Voron.Storage;

/// <summary>
/// What an environment is built on. The defaults suit every database; other values let small workloads reach rare paths.
/// </summary>
internal sealed class EngineSettings
{
    internal static EngineSettings Default { get; } = new();

    /// <summary>The disk; null is the operating system's.</summary>
    internal IDisk? Disk { get; init; }

    /// <summary>False: the engine starts no threads; checkpoints and chunk preparation run in the calls that need them.</summary>
    internal bool Background { get; init; } = true;

    /// <summary>Length from which on a value may be written directly to its place in the data file, in bytes.</summary>
    internal int PlacedValueBytes { get; init; } = 64 << 10;

    /// <summary>Redo of a transaction up to which also values of that length are written through the journal, in bytes.</summary>
    internal int JournalledBytes { get; init; } = 512 << 10;

    /// <summary>Length of the pieces of a value that is written as a stream, in bytes.</summary>
    internal int ValuePieceBytes { get; init; } = 1 << 20;

    /// <summary>Pages freed by a transaction that get a marker each; further ones get a bit each.</summary>
    internal int FreedMarkers { get; init; } = 4096;

    /// <summary>Length at which redo notes leave before their commit, in bytes; null derives it from the dirty budget.</summary>
    internal int? FragmentBytes { get; init; }

    /// <summary>
    /// Bytes that pending trees may use; if set, each tree gets one at its first change. Null derives them from the dirty budget, and only
    /// trees that outgrow it get pending trees.
    /// </summary>
    internal long? PendingBytes { get; init; }

    /// <summary>Bytes of the lower layers of pending trees, 0 for none; null derives them from the dirty budget.</summary>
    internal long? PendingLayerBytes { get; init; }

    /// <summary>Whether ordered trees are write-optimized also if their creation does not ask for it.</summary>
    internal bool WriteOptimizesAll { get; init; }

    /// <summary>
    /// Bytes of pending trees up to which a close merges them. Otherwise they stay in the journal, and the next open has them in memory.
    /// </summary>
    internal long ClosingMergeBytes { get; init; } = 1L << 30;

    /// <summary>How long a close merges. A step that has begun ends; what is left then stays in the journal as well.</summary>
    internal TimeSpan ClosingMergeTime { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Memory for blocks of page versions that stays when there is no load, in bytes.</summary>
    internal long KeptMemoryBytes { get; init; } = 4 << 20;

    /// <summary>How long an open waits for readers in other processes to go on from an older checkpoint.</summary>
    internal TimeSpan ReaderPatience { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Memory that the process may use, in bytes; null asks the runtime.</summary>
    internal long? MemoryBytes { get; init; }
}
