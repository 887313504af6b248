namespace Voron.Bench;

/// <summary>
/// Keys in the order in which they are asked for, each with the last byte of its value. Made before anything is timed and read from front
/// to back, so that the bench waits for the memory of the store that is asked and not for its own. The keys do not move in memory.
/// </summary>
internal sealed class Questions
{
    private readonly DataSet _data;
    private readonly int[] _valueItems;
    private readonly byte[] _keys;
    private readonly byte[] _lastValueBytes;

    /// <summary>Asks for the keys of these items in this order.</summary>
    internal Questions(DataSet data, ReadOnlySpan<int> order)
        : this(data, KeyOrder.Random, order, static item => item)
    {
    }

    /// <summary>Asks for the keys of these items, of which each has the value of another.</summary>
    internal Questions(DataSet data, KeyOrder keyOrder, ReadOnlySpan<int> order, Func<int, int> valueOf)
    {
        _data = data;
        Count = order.Length;
        _keys = GC.AllocateUninitializedArray<byte>(order.Length * DataSet.KeyBytes, pinned: true);
        _valueItems = new int[order.Length];
        _lastValueBytes = new byte[order.Length];
        for (int place = 0; place < order.Length; place++)
        {
            data.Key(keyOrder, order[place]).CopyTo(_keys.AsSpan(place * DataSet.KeyBytes));
            _valueItems[place] = valueOf(order[place]);
            _lastValueBytes[place] = data.Value(_valueItems[place])[^1];
        }
    }

    internal int Count { get; }

    internal ReadOnlySpan<byte> Key(int place) => _keys.AsSpan(place * DataSet.KeyBytes, DataSet.KeyBytes);

    /// <summary>The keys as those who ask for several at once want them.</summary>
    internal ReadOnlyMemory<byte>[] ToMemory() =>
        [.. Enumerable.Range(0, Count).Select(place => new ReadOnlyMemory<byte>(_keys, place * DataSet.KeyBytes, DataSet.KeyBytes))];

    /// <summary>True for the value of the key at this place, as far as its last byte tells.</summary>
    internal bool IsAnswer(int place, ReadOnlySpan<byte> value) => value[^1] == _lastValueBytes[place];

    /// <summary>True for exactly the value of the key at this place.</summary>
    internal bool IsWholeAnswer(int place, ReadOnlySpan<byte> value) => value.SequenceEqual(_data.Value(_valueItems[place]));
}
