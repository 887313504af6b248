namespace Voron.Bench;

/// <summary>
/// Keys in the order in which they are asked for, each with the last byte of its value. Made before anything is timed and read from front
/// to back, so that the bench waits for the memory of the store that is asked and not for its own.
/// </summary>
internal sealed class Questions
{
    private readonly byte[] _keys;
    private readonly byte[] _lastValueBytes;

    internal Questions(DataSet data, ReadOnlySpan<int> order)
    {
        Count = order.Length;
        _keys = new byte[order.Length * DataSet.KeyBytes];
        _lastValueBytes = new byte[order.Length];
        for (int place = 0; place < order.Length; place++)
        {
            data.Key(KeyOrder.Random, order[place]).CopyTo(_keys.AsSpan(place * DataSet.KeyBytes));
            _lastValueBytes[place] = data.Value(order[place])[^1];
        }
    }

    internal int Count { get; }

    internal ReadOnlySpan<byte> Key(int place) => _keys.AsSpan(place * DataSet.KeyBytes, DataSet.KeyBytes);

    /// <summary>True for the value of the key at this place, as far as its last byte tells.</summary>
    internal bool IsAnswer(int place, ReadOnlySpan<byte> value) => value[^1] == _lastValueBytes[place];
}
