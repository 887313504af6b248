namespace Voron.Storage.Trees;

/// <summary>
/// Puts that a write transaction has noted and makes later, together. What a random put waits for most is memory: its leaf's version, then
/// the leaf's slots, then the room of the new entry. Noting a put fetches that, one step further with each put that follows, so that it is
/// there when the puts are made.
/// <para>Pages on the way are verified when the put is noted, so that damage is found before the transaction is sealed.</para>
/// </summary>
internal sealed class PutBatch(TreeWriter trees)
{
    internal const int Capacity = 128;

    /// <summary>So many puts later a leaf's version has come from memory, and its slots.</summary>
    private const int SlotsLag = 2;
    private const int RoomLag = 4;

    private readonly NotedPut[] _puts = new NotedPut[Capacity];
    private long _root;
    private int _leafLevel;

    internal int Count { get; private set; }

    internal bool IsFull => Count == Capacity;

    internal void Add(NotedPut put, ReadOnlySpan<byte> key)
    {
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

        if (Count >= RoomLag)
        {
            trees.FetchRoom(_puts[Count - RoomLag].Leaf);
        }

        Count++;
    }

    internal void Clear() => Count = 0;

    /// <summary>
    /// Makes all puts in their order and gives them back, each with its result. The batch is empty then, also after an exception, when the
    /// trees may be half changed.
    /// </summary>
    internal ReadOnlySpan<NotedPut> Make(ReadOnlySpan<byte> notes)
    {
        Span<NotedPut> puts = _puts.AsSpan(0, Count);
        Count = 0;
        foreach (ref NotedPut put in puts)
        {
            put.Added = trees.Put(put.Root, put.Key(notes), put.Value(notes));
        }

        return puts;
    }
}
