namespace Voron.Storage.Trees;

/// <summary>
/// Puts that a write transaction has noted and makes later, together. What a random put waits for most is memory: its leaf's version, then
/// the leaf's slots, then the room of the new entry. Noting a put fetches that, one step further with each put that follows, so that it is
/// there when the puts are made.
/// <para>On the way all is verified that the puts will look at: branches, leaves, and the values that they replace. So damage is found
/// while the transaction can still be rolled back, before its record leaves.</para>
/// </summary>
internal sealed class PutBatch(TreeWriter trees)
{
    internal const int Capacity = 128;

    /// <summary>So many puts later a leaf's description has come from memory, and its slots.</summary>
    private const int SlotsLag = 2;
    private const int ExamineLag = 4;

    private readonly NotedPut[] _puts = new NotedPut[Capacity];
    private long _root;
    private int _leafLevel;
    private int _examined;

    internal int Count { get; private set; }

    internal bool IsFull => Count == Capacity;

    internal void Add(NotedPut put, ReadOnlySpan<byte> notes)
    {
        ReadOnlySpan<byte> key = put.Key(notes);
        if (Count == 0 || put.Root != _root)
        {
            _root = put.Root;
            _leafLevel = trees.LeafLevel(put.Root, key);
        }

        put.Leaf = trees.FetchLeaf(put.Root, key, _leafLevel);
        _puts[Count] = put;
        if (Count >= SlotsLag)
        {
            trees.FetchSlots(_puts[Count - SlotsLag].Leaf);
        }

        Count++;
        if (Count > ExamineLag)
        {
            Examine(_puts[_examined++], notes);
        }
    }

    /// <summary>Verifies what is left to verify. Nothing has changed after an exception.</summary>
    internal void ExamineAll(ReadOnlySpan<byte> notes)
    {
        while (_examined < Count)
        {
            Examine(_puts[_examined++], notes);
        }
    }

    internal void Clear()
    {
        Count = 0;
        _examined = 0;
    }

    /// <summary>
    /// Makes all puts in their order and gives them back, each with its result. The batch is empty then, also after an exception, when the
    /// trees may be half changed.
    /// </summary>
    internal ReadOnlySpan<NotedPut> Make(ReadOnlySpan<byte> notes)
    {
        Span<NotedPut> puts = _puts.AsSpan(0, Count);
        Clear();
        foreach (ref NotedPut put in puts)
        {
            put.Added = trees.Put(put.Root, put.Key(notes), put.Value(notes));
        }

        return puts;
    }

    private void Examine(in NotedPut put, ReadOnlySpan<byte> notes) => trees.ExamineLeaf(put.Leaf, put.Key(notes));
}
