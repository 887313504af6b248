using System.Buffers.Binary;
using System.Globalization;

namespace Voron.Bench;

/// <summary>
/// Keys and values of a fill, all made before anything is timed: distinct 16-byte keys, and for each a value of its own, of 100 bytes
/// unless told otherwise, that no compressor shortens. Nothing of it moves in memory.
/// </summary>
internal sealed class DataSet
{
    internal const int KeyBytes = 16;
    internal const int ValueBytes = 100;

    private readonly byte[] _randomKeys;
    private readonly byte[] _ascendingKeys;
    private readonly byte[] _values;
    private byte[]? _sequentialIds;

    internal DataSet(int items, ulong seed, int bytesPerValue = ValueBytes, bool constantValues = false)
    {
        Items = items;
        BytesPerValue = bytesPerValue;
        RandomBytes random = new(seed);
        _randomKeys = New(items * KeyBytes);
        random.Fill(_randomKeys);
        _ascendingKeys = New(items * KeyBytes);
        for (int item = 0; item < items; item++)
        {
            item.TryFormat(_ascendingKeys.AsSpan(item * KeyBytes, KeyBytes), out _, "D16", CultureInfo.InvariantCulture);
        }

        // The generator makes words of 8 bytes; 100 is no multiple of 8, the block of all values is rounded up to one.
        _values = New(checked((items * bytesPerValue) + 7) & ~7);
        random.Fill(_values);
        if (constantValues)
        {
            for (int item = 1; item < items; item++)
            {
                Value(0).CopyTo(_values.AsSpan(item * bytesPerValue));
            }
        }
    }

    /// <summary>Items that were made elsewhere, under random keys only.</summary>
    internal DataSet(byte[] keys, byte[] values)
    {
        Items = keys.Length / KeyBytes;
        BytesPerValue = values.Length / Items;
        (_randomKeys, _ascendingKeys, _values) = (keys, [], values);
    }

    /// <summary>Number of keys.</summary>
    internal int Items { get; }

    internal int BytesPerValue { get; }

    internal byte[] Keys(KeyOrder order) => order switch
    {
        KeyOrder.Random => _randomKeys,
        KeyOrder.Ascending => _ascendingKeys,
        _ => _sequentialIds ??= MakeSequentialIds(),
    };

    internal ReadOnlySpan<byte> Key(KeyOrder order, int item) => Keys(order).AsSpan(item * KeyBytes, KeyBytes);

    /// <summary>All items in an order.</summary>
    internal IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Pairs(KeyOrder order)
    {
        byte[] keys = Keys(order);
        for (int item = 0; item < Items; item++)
        {
            yield return new(keys.AsMemory(item * KeyBytes, KeyBytes), _values.AsMemory(item * BytesPerValue, BytesPerValue));
        }
    }

    internal ReadOnlySpan<byte> Value(int item) => _values.AsSpan(item * BytesPerValue, BytesPerValue);

    private static byte[] New(int bytes) => GC.AllocateUninitializedArray<byte>(bytes, pinned: true);

    private byte[] MakeSequentialIds()
    {
        byte[] keys = New(Items * KeyBytes);
        Span<byte> node = stackalloc byte[8];
        new RandomBytes(0x9017).Fill(node);
        for (int item = 0; item < Items; item++)
        {
            Span<byte> key = keys.AsSpan(item * KeyBytes, KeyBytes);
            BinaryPrimitives.WriteInt64BigEndian(key, 0x11D3_0000_0000_0000 + item);
            node.CopyTo(key[8..]);
        }

        return keys;
    }
}
