using System.Collections.Immutable;
using Voron.Simulation.Crashes;
using Voron.Storage.Structures;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// What a database holds at one transaction: its trees by name, their rows in key order. A row of a multi-value tree is a pair, as one key
/// and without a value.
/// </summary>
internal sealed record FuzzRows(ImmutableSortedDictionary<string, ImmutableSortedDictionary<byte[], byte[]>> Trees)
{
    internal static FuzzRows Empty { get; } =
        new(ImmutableSortedDictionary.Create<string, ImmutableSortedDictionary<byte[], byte[]>>(StringComparer.Ordinal));

    internal static ImmutableSortedDictionary<byte[], byte[]> NoRows { get; } =
        ImmutableSortedDictionary.Create<byte[], byte[]>(KeyOrder.Instance);

    /// <summary>A pair as the key of a row; such keys are in the order of the pairs.</summary>
    internal static byte[] PairOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte[] pair = new byte[MultiKey.LengthOf(key) + value.Length];
        MultiKey.Write(key, pair);
        value.CopyTo(pair.AsSpan(pair.Length - value.Length));
        return pair;
    }

    /// <summary>The key of a pair, and its value.</summary>
    internal static (byte[] Key, byte[] Value) PartsOf(byte[] pair)
    {
        int keyBytes = MultiKey.LengthIn(pair, default);
        return (MultiKey.Read(pair.AsSpan(0, keyBytes), new byte[keyBytes]).ToArray(), pair[keyBytes..]);
    }
}
