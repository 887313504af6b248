namespace Voron.Storage.Trees;

/// <summary>
/// Puts that a write transaction has noted and makes later, together: in the middle of the transaction when somebody looks, or at its
/// commit, beside the journal's write when that is worth it.
/// </summary>
internal sealed class PutBatch(TreeWriter trees)
{
    internal const int Capacity = 128;

    private readonly NotedPut[] _puts = new NotedPut[Capacity];
    private bool _areLeavesKnown;

    internal int Count { get; private set; }

    internal bool IsFull => Count == Capacity;

    /// <summary>
    /// How often a key was below the one before. Puts in order share leaves and are made quickly; those without order wait for memory.
    /// </summary>
    internal int Disorder { get; private set; }

    internal void Add(in NotedPut put, ReadOnlySpan<byte> notes)
    {
        Disorder += Count > 0 && put.Key(notes).SequenceCompareTo(_puts[Count - 1].Key(notes)) < 0 ? 1 : 0;
        _puts[Count++] = put;
    }

    internal void Clear()
    {
        Count = 0;
        Disorder = 0;
        _areLeavesKnown = false;
    }

    /// <summary>
    /// Verifies the pages that the puts will look at, so that damage is found while the transaction can still be rolled back; nothing has
    /// changed after an exception.
    /// </summary>
    internal void Verify(ReadOnlySpan<byte> notes)
    {
        trees.BeginNotes();
        long root = 0;
        int leafLevel = 0;
        foreach (ref NotedPut put in _puts.AsSpan(0, Count))
        {
            ReadOnlySpan<byte> key = put.Key(notes);
            if (put.Root != root)
            {
                root = put.Root;
                leafLevel = trees.LeafLevel(root, key);
            }

            put.Leaf = trees.VerifiedLeaf(root, key, leafLevel);
        }

        _areLeavesKnown = true;
    }

    /// <summary>
    /// Makes all puts in their order and gives them back, each with its result. The batch is empty then, also after an exception, when the
    /// trees may be half changed.
    /// </summary>
    internal ReadOnlySpan<NotedPut> Make(ReadOnlySpan<byte> notes)
    {
        Span<NotedPut> puts = _puts.AsSpan(0, Count);
        bool areLeavesKnown = _areLeavesKnown;
        Clear();
        foreach (ref NotedPut put in puts)
        {
            ReadOnlySpan<byte> key = put.Key(notes);
            ReadOnlySpan<byte> value = put.Value(notes);
            put.Added = areLeavesKnown ? trees.PutAt(put.Leaf, put.Root, key, value) : trees.Put(put.Root, key, value);
        }

        return puts;
    }
}
