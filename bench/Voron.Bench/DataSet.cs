using System.Globalization;
using System.Runtime.InteropServices;

namespace Voron.Bench;

/// <summary>
/// Keys and values of a fill, all made before anything is timed: distinct 16-byte keys, and for each a 100-byte value of its own that no
/// compressor shortens.
/// </summary>
internal sealed class DataSet
{
    internal const int KeyBytes = 16;
    internal const int ValueBytes = 100;

    private readonly byte[] _randomKeys;
    private readonly byte[] _ascendingKeys;
    private readonly byte[] _values;

    internal DataSet(int items, ulong seed)
    {
        Items = items;
        RandomBytes random = new(seed);
        _randomKeys = New(items * KeyBytes);
        random.Fill(_randomKeys);
        _ascendingKeys = New(items * KeyBytes);
        for (int item = 0; item < items; item++)
        {
            item.TryFormat(_ascendingKeys.AsSpan(item * KeyBytes, KeyBytes), out _, "D16", CultureInfo.InvariantCulture);
        }

        // The generator makes words of 8 bytes; 100 is no multiple of 8, the block of all values is rounded up to one.
        _values = New(checked((items * ValueBytes) + 7) & ~7);
        random.Fill(_values);
    }

    /// <summary>Number of keys.</summary>
    internal int Items { get; }

    internal byte[] Keys(KeyOrder order) => order == KeyOrder.Random ? _randomKeys : _ascendingKeys;

    internal ReadOnlySpan<byte> Key(KeyOrder order, int item) => Keys(order).AsSpan(item * KeyBytes, KeyBytes);

    /// <summary>All items in an order.</summary>
    internal IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Pairs(KeyOrder order)
    {
        byte[] keys = Keys(order);
        for (int item = 0; item < Items; item++)
        {
            yield return new(keys.AsMemory(item * KeyBytes, KeyBytes), _values.AsMemory(item * ValueBytes, ValueBytes));
        }
    }

    /// <summary>Where a key stands; the garbage collector does not move it.</summary>
    internal nint KeyAddress(KeyOrder order, int item) => Marshal.UnsafeAddrOfPinnedArrayElement(Keys(order), item * KeyBytes);

    /// <summary>Where a value stands; the garbage collector does not move it.</summary>
    internal nint ValueAddress(int item) => Marshal.UnsafeAddrOfPinnedArrayElement(_values, item * ValueBytes);

    internal ReadOnlySpan<byte> Value(int item) => _values.AsSpan(item * ValueBytes, ValueBytes);

    private static byte[] New(int bytes) => GC.AllocateUninitializedArray<byte>(bytes, pinned: true);
}
