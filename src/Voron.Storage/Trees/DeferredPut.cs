using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>
/// A deferred put: recorded for the journal and not yet applied to the tree. Its key and value are adjacent in the notes.
/// </summary>
internal struct DeferredPut
{
    internal PageNumber Root;

    /// <summary>The caller's index of the tree.</summary>
    internal int Tree;
    internal int KeyOffset;
    internal int KeyLength;
    internal int ValueLength;

    /// <summary>The leaf that the key belonged to when the deferred puts were verified.</summary>
    internal PageNumber Leaf;

    /// <summary>The leaf of the tree's pending tree that the key belonged to then; the default if it has none.</summary>
    internal PageNumber PendingLeaf;

    /// <summary>The key is above all keys of the tree and of the puts recorded before it.</summary>
    internal bool IsAppend;

    /// <summary>The previous put is into the same tree, and its key is below this one.</summary>
    internal bool ContinuesRun;

    /// <summary>The tree grew, by the number of entries that is recorded for it; set when the put is applied.</summary>
    internal bool Added;

    internal readonly ReadOnlySpan<byte> Key(ReadOnlySpan<byte> notes) => notes.Slice(KeyOffset, KeyLength);

    internal readonly ReadOnlySpan<byte> Value(ReadOnlySpan<byte> notes) => notes.Slice(KeyOffset + KeyLength, ValueLength);
}
