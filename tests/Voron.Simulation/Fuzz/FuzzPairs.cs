using System.Collections.Immutable;
using Voron.Storage;

namespace Voron.Simulation.Fuzz;

/// <summary>Reads a multi-value tree in every way, for <see cref="FuzzReading"/>.</summary>
/// <param name="seed">What was damaged.</param>
/// <param name="trust">What must hold of the pairs.</param>
/// <param name="name">The name of the tree.</param>
/// <param name="rows">Its pairs; null if they are not known.</param>
/// <param name="attempt">Runs one way, which a report of damage ends.</param>
internal sealed class FuzzPairs(
    FuzzSeedImage seed, FuzzTrust trust, string name, ImmutableSortedDictionary<byte[], byte[]>? rows, Action<Action> attempt)
{
    private const int Lookups = 24;

    private readonly byte[][] _expected = rows is null ? [] : [.. rows.Keys];

    private bool IsExact => trust == FuzzTrust.Exact;

    internal void ReadAll(ReadMultiTree tree)
    {
        attempt(() => ReadForward(tree));
        attempt(() => ReadBackward(tree));
        attempt(() => ReadValues(tree));
        attempt(() => ReadBlocks(tree));
        attempt(() => tree.GetReport());
        if (IsExact)
        {
            LookUp(tree);
        }
    }

    private void ReadForward(ReadMultiTree tree)
    {
        int index = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            Judge(key, value, index++);
        }

        if (IsExact && (index != _expected.Length || tree.Count != index))
        {
            throw new FuzzFindingException($"'{name}' shows {index} pairs of {_expected.Length}, and says that it has {tree.Count}");
        }
    }

    private void ReadBackward(ReadMultiTree tree)
    {
        int index = _expected.Length;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree.Reverse())
        {
            Judge(key, value, --index);
        }
    }

    /// <summary>Key by key, and each value by a cursor that goes along.</summary>
    private void ReadValues(ReadMultiTree tree)
    {
        int index = 0;
        using MultiCursor cursor = tree.OpenCursor();
        foreach (ReadOnlySpan<byte> key in tree.Keys)
        {
            bool there = cursor.MoveNextKey();
            foreach (ReadOnlySpan<byte> value in tree.Values(key))
            {
                Judge(key, value, index++);
                if (IsExact && !(there && cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value)))
                {
                    throw new FuzzFindingException($"the cursor over '{name}' is not at the pair {index - 1}");
                }

                there = there && cursor.MoveNextValue();
            }
        }
    }

    private void ReadBlocks(ReadMultiTree tree)
    {
        if (tree.ValueBytes is not { } valueBytes || valueBytes == 0)
        {
            return;
        }

        int index = 0;
        foreach (ReadOnlySpan<byte> key in tree.Keys)
        {
            foreach (ValueBlock block in tree.Blocks(key))
            {
                Judge(key, block.First, index++);
                for (int at = 0; at < block.Rest.Length; at += valueBytes)
                {
                    Judge(key, block.Rest.Slice(at, valueBytes), index++);
                }
            }
        }
    }

    private void LookUp(ReadMultiTree tree)
    {
        int step = Math.Max(1, _expected.Length / Lookups);
        for (int i = 0; i < _expected.Length; i += step)
        {
            (byte[] key, byte[] value) = FuzzRows.PartsOf(_expected[i]);
            byte[] other = [.. key, 0];
            attempt(() => Require(tree.Contains(key, value), "lacks the pair", key));
            attempt(() => Require(tree.Count(key) == CountOf(key), "counts another number of values of the key", key));
            attempt(() => Require(tree.Contains(other, value) == rows!.ContainsKey(FuzzRows.PairOf(other, value)), "errs about", other));
        }
    }

    private int CountOf(byte[] key)
    {
        byte[] start = FuzzRows.PairOf(key, []);
        return _expected.Count(pair => pair.AsSpan().StartsWith(start));
    }

    private void Judge(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, int index)
    {
        if (trust == FuzzTrust.Nothing)
        {
            return;
        }

        byte[] pair = FuzzRows.PairOf(key, value);
        bool isRight = IsExact
            ? index >= 0 && index < _expected.Length && _expected[index].AsSpan().SequenceEqual(pair)
            : seed.History.Knows(pair, []);
        if (!isRight)
        {
            throw new FuzzFindingException($"'{name}' shows the pair {Convert.ToHexString(pair)} at {index}, where it should not be");
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
