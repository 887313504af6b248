using System.Collections.Immutable;

namespace Voron.Simulation.Fuzz;

/// <summary>The contents after every transaction of one database, and every row that ever was in it.</summary>
internal sealed class FuzzHistory
{
    private readonly Dictionary<long, FuzzRows> _contents = new() { [0] = FuzzRows.Empty };
    private readonly HashSet<Hash128> _rows = [];
    private readonly HashSet<(Hash128 Key, int Bytes)> _lengths = [];

    /// <summary>Started, and committed in one way or another.</summary>
    internal long LastTransaction { get; private set; }

    internal FuzzRows? At(long transaction) => _contents.GetValueOrDefault(transaction);

    /// <summary>Whether a row like this was committed at some time, in whichever tree.</summary>
    internal bool Knows(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _rows.Contains(HashOf(key, value));

    /// <summary>Whether a key had a value so long at some time, in whichever tree.</summary>
    internal bool KnowsLength(ReadOnlySpan<byte> key, int bytes) => _lengths.Contains((Hash128.Of(key), bytes));

    internal void Add(long transaction, FuzzRows rows)
    {
        FuzzRows before = _contents[LastTransaction];
        _contents[transaction] = rows;
        LastTransaction = transaction;
        foreach ((string name, ImmutableSortedDictionary<byte[], byte[]> tree) in rows.Trees)
        {
            if (before.Trees.TryGetValue(name, out ImmutableSortedDictionary<byte[], byte[]>? old) && ReferenceEquals(old, tree))
            {
                continue;
            }

            foreach ((byte[] key, byte[] value) in tree)
            {
                _rows.Add(HashOf(key, value));
                _lengths.Add((Hash128.Of(key), value.Length));
            }
        }
    }

    private static Hash128 HashOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => Hash128.Of(key).Then(Hash128.Of(value));
}
