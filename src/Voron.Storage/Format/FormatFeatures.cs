namespace Voron.Storage.Format;

/// <summary>
/// What a database uses beyond version 1 of the format, as bits of its header slots. A database has version 1 until it first uses one.
/// </summary>
[Flags]
internal enum FormatFeatures : ulong
{
    None = 0,

    /// <summary>Trees of kind 2, and the redo operations for them.</summary>
    MultiTrees = 1,

    /// <summary>Trees of kind 3.</summary>
    FixedTrees = 2,

    /// <summary>Trees of kind 4.</summary>
    WriteOptimizedTrees = 16,

    /// <summary>Commits that note their time.</summary>
    TimedCommits = 8,

    /// <summary>All that this build knows.</summary>
    Known = MultiTrees | FixedTrees | TimedCommits | WriteOptimizedTrees,
}
