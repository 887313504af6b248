namespace Voron.Storage;

/// <summary>What a tree is made for; given when it is created, and kept in the database.</summary>
[Flags]
public enum TreeOptions
{
    /// <summary>An ordinary tree.</summary>
    None = 0,

    /// <summary>
    /// Random puts into a tree that has outgrown <see cref="StorageOptions.MaxDirtyBytes"/> do not look for the key that they may replace:
    /// they only join those that wait to be merged into the leaves. Until they are merged, once the database is idle at the latest, the
    /// <see cref="ReadTree.Count"/> of the tree is an estimate, in which a replaced entry counts twice. All else is as in an ordinary tree.
    /// For a while after a value was put that is written to its place directly, puts look for the keys like in any other tree.
    /// </summary>
    WriteOptimized = 1,
}
