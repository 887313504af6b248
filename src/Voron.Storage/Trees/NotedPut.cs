namespace Voron.Storage.Trees;

/// <summary>A put that is noted for the journal and not yet made in the tree: key and value stand side by side in the notes.</summary>
internal struct NotedPut
{
    internal long Root;

    /// <summary>The caller's index of the tree.</summary>
    internal int Tree;
    internal int KeyOffset;
    internal int KeyLength;
    internal int ValueLength;

    /// <summary>The leaf that the key belonged to when the batch was verified.</summary>
    internal long Leaf;

    /// <summary>The key is above all others of the tree, and of the puts noted before it.</summary>
    internal bool IsAppend;

    /// <summary>The put noted before it belongs to the same tree, and its key is below this one.</summary>
    internal bool Follows;

    /// <summary>Set when the put was made: the key was new.</summary>
    internal bool Added;

    internal readonly ReadOnlySpan<byte> Key(ReadOnlySpan<byte> notes) => notes.Slice(KeyOffset, KeyLength);

    internal readonly ReadOnlySpan<byte> Value(ReadOnlySpan<byte> notes) => notes.Slice(KeyOffset + KeyLength, ValueLength);
}
