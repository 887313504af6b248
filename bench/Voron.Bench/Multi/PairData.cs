namespace Voron.Bench.Multi;

/// <summary>
/// Keys with the same number of values each, made before anything is timed: keys of 16 bytes, values of one length, all different. Nothing
/// of it moves in memory.
/// </summary>
internal sealed class PairData
{
    internal const int KeyBytes = 16;

    private readonly byte[] _keys;
    private readonly byte[] _values;
    private readonly int[] _order;
    private readonly int _valuesOfKey;

    internal PairData(int keys, int valuesOfKey, int valueBytes, ulong seed)
    {
        RandomBytes random = new(seed);
        Keys = keys;
        Pairs = keys * valuesOfKey;
        ValueBytes = valueBytes;
        _valuesOfKey = valuesOfKey;
        _keys = GC.AllocateUninitializedArray<byte>(keys * KeyBytes, pinned: true);
        random.Fill(_keys);
        _values = GC.AllocateUninitializedArray<byte>(Pairs * valueBytes, pinned: true);
        random.Fill(_values);
        _order = random.Permutation(Pairs);
    }

    internal int Keys { get; }

    internal int Pairs { get; }

    internal int ValueBytes { get; }

    internal ReadOnlySpan<byte> Key(int key) => _keys.AsSpan(key * KeyBytes, KeyBytes);

    /// <summary>The key of a pair; pairs are in random order.</summary>
    internal ReadOnlySpan<byte> KeyOf(int pair) => Key(_order[pair] / _valuesOfKey);

    /// <summary>The value of a pair.</summary>
    internal ReadOnlySpan<byte> ValueOf(int pair) => _values.AsSpan(_order[pair] * ValueBytes, ValueBytes);
}
