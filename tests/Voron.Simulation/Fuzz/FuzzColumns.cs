using System.Collections.Immutable;
using Voron.Storage;
using Voron.Storage.Structures;

namespace Voron.Simulation.Fuzz;

/// <summary>Reads a fixed-size tree in every way, for <see cref="FuzzReading"/>.</summary>
/// <param name="seed">What was damaged.</param>
/// <param name="trust">What must hold of the entries.</param>
/// <param name="name">The name of the tree.</param>
/// <param name="rows">Its entries, with keys in their ordered form; null if they are not known.</param>
/// <param name="attempt">Runs one way, which a report of damage ends.</param>
internal sealed class FuzzColumns<TKey>(
    FuzzSeedImage seed, FuzzTrust trust, string name, ImmutableSortedDictionary<byte[], byte[]>? rows, Action<Action> attempt)
    where TKey : unmanaged
{
    private const int Lookups = 24;

    private readonly KeyValuePair<byte[], byte[]>[] _expected = rows is null ? [] : [.. rows];

    private bool IsExact => trust == FuzzTrust.Exact;

    internal void ReadAll(ReadFixedTree<TKey> tree)
    {
        attempt(() => ReadForward(tree));
        attempt(() => ReadBackward(tree));
        attempt(() => ReadBlocks(tree));
        attempt(() => tree.GetReport());
        attempt(() => LookUpAny(tree));
        if (IsExact)
        {
            LookUp(tree);
        }
    }

    private void ReadForward(ReadFixedTree<TKey> tree)
    {
        int index = 0;
        foreach ((TKey key, ReadOnlySpan<byte> value) in tree)
        {
            Judge(key, value, index++);
        }

        if (IsExact && (index != _expected.Length || tree.Count != index))
        {
            throw new FuzzFindingException($"'{name}' shows {index} entries of {_expected.Length}, and says that it has {tree.Count}");
        }
    }

    private void ReadBackward(ReadFixedTree<TKey> tree)
    {
        int index = _expected.Length;
        foreach ((TKey key, ReadOnlySpan<byte> value) in tree.Reverse())
        {
            Judge(key, value, --index);
        }
    }

    private void ReadBlocks(ReadFixedTree<TKey> tree)
    {
        int index = 0;
        foreach (FixedBlock<TKey> block in tree.Blocks())
        {
            for (int i = 0; i < block.Count; i++)
            {
                Judge(block.Keys[i], block.ValueBytes.Slice(i * tree.ValueSize, tree.ValueSize), index++);
            }
        }
    }

    /// <summary>Whatever the tree shows, every way to look for it must end.</summary>
    private static void LookUpAny(ReadFixedTree<TKey> tree)
    {
        tree.TryGetFirst(out TKey first, out _);
        tree.TryGetLast(out TKey last, out _);
        tree.CountBetween(first, last);
        tree.TryGetFloor(last, out TKey floor, out _);
        tree.TryGetCeiling(floor, out TKey ceiling, out _);
        tree.TryGet(ceiling, out _);
    }

    private void LookUp(ReadFixedTree<TKey> tree)
    {
        int step = Math.Max(1, _expected.Length / Lookups);
        for (int i = 0; i < _expected.Length; i += step)
        {
            byte[] ordered = _expected[i].Key;
            TKey key = FixedKey.Read<TKey>(ordered);
            byte[] value = _expected[i].Value;
            int before = i;
            attempt(() => Require(tree.TryGet(key, out ReadOnlySpan<byte> found) && found.SequenceEqual(value), "lacks the key", ordered));
            attempt(() => Require(tree.CountBetween(FixedKey.Read<TKey>(_expected[0].Key), key) == before, "miscounts up to", ordered));

            // Any other key, which is almost certainly not there.
            byte[] other = [.. ordered];
            other[^1] ^= 1;
            attempt(() => Require(tree.Contains(FixedKey.Read<TKey>(other)) == rows!.ContainsKey(other), "errs about", other));
        }
    }

    private void Judge(TKey key, ReadOnlySpan<byte> value, int index)
    {
        if (trust == FuzzTrust.Nothing)
        {
            return;
        }

        byte[] ordered = new byte[FixedKey.MostBytes];
        ordered = ordered[..FixedKey.Write(key, ordered)];
        bool isRight = IsExact
            ? index >= 0 && index < _expected.Length && _expected[index].Key.AsSpan().SequenceEqual(ordered)
                && value.SequenceEqual(_expected[index].Value)
            : seed.History.Knows(ordered, value);
        if (!isRight)
        {
            throw new FuzzFindingException($"'{name}' shows the key {Convert.ToHexString(ordered)} at {index}, or its value, wrongly");
        }
    }

    private void Require(bool holds, string what, byte[] key)
    {
        if (!holds)
        {
            throw new FuzzFindingException($"'{name}' {what} {Convert.ToHexString(key)}");
        }
    }
}
