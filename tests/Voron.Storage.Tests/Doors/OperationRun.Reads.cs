using FluentAssertions;
using Voron.Storage.Tests.Trees;

namespace Voron.Storage.Tests.Doors;

/// <content>The reads, inside of write transactions and so over their own changes.</content>
internal sealed partial class OperationRun
{
    private const int MostRows = 40;

    private void Read(ReadTree tree)
    {
        byte[][] keys = [.. _model.Keys];
        byte[] low = AnyKey();
        byte[] high = AnyKey();
        switch (_random.Next(5))
        {
            case 0:
                ReadSingles(tree, keys, low);
                break;
            case 1:
                ReadMany(tree);
                break;
            case 2:
                WalkCursor(tree, keys, low);
                break;
            case 3:
                ReadPrefixes(tree, keys, low);
                break;
            default:
                ReadRanges(tree, keys, low, high);
                break;
        }
    }

    private void ReadSingles(ReadTree tree, byte[][] keys, byte[] limit)
    {
        IsTrue(tree.TryGetFirst(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) == keys.Length > 0, "first");
        IsTrue(keys.Length == 0 || (key.SequenceEqual(keys[0]) && value.SequenceEqual(_model[keys[0]])), "first");
        IsTrue(tree.TryGetLast(out key, out value) == keys.Length > 0, "last");
        IsTrue(keys.Length == 0 || (key.SequenceEqual(keys[^1]) && value.SequenceEqual(_model[keys[^1]])), "last");
        int ceiling = CeilingOf(keys, limit);
        bool exists = ceiling < keys.Length && keys[ceiling].AsSpan().SequenceEqual(limit);
        int floor = exists ? ceiling : ceiling - 1;
        IsTrue(tree.TryGetFloor(limit, out key, out _) == floor >= 0 && (floor < 0 || key.SequenceEqual(keys[floor])), "floor");
        bool found = tree.TryGetCeiling(limit, out key, out _);
        IsTrue(found == ceiling < keys.Length && (!found || key.SequenceEqual(keys[ceiling])), "ceiling");
        IsTrue(tree.TryGet(limit, out value) == exists && (!exists || value.SequenceEqual(_model[limit])), "a lookup");
        IsTrue(tree.Contains(limit) == exists, "contains");
        long estimate = tree.EstimateCount(limit, keys.Length > 0 ? keys[^1] : limit);
        IsTrue(estimate >= 0 && estimate <= Math.Max(1, (keys.Length * 3L) + 100), "an estimate");
    }

    private void ReadMany(ReadTree tree)
    {
        ReadOnlyMemory<byte>[] keys = [.. Enumerable.Range(0, _random.Next(20)).Select(_ => (ReadOnlyMemory<byte>)AnyKey())];
        int seen = 0;
        foreach (TreeLookup found in tree.GetMany(keys))
        {
            bool exists = _model.TryGetValue(keys[found.Index].ToArray(), out byte[]? value);
            IsTrue(found.Index == seen++ && found.Exists == exists && found.Value.SequenceEqual(value ?? []), "a lookup of many");
        }

        seen.Should().Be(keys.Length);
    }

    private void WalkCursor(ReadTree tree, byte[][] keys, byte[] start)
    {
        using Cursor cursor = tree.OpenCursor();
        int at = CeilingOf(keys, start);
        cursor.Seek(start).Should().Be(at < keys.Length);
        for (int i = 0; i < MostRows; i++)
        {
            bool forward = _random.Next(2) == 0;
            at = Math.Clamp(forward ? at + 1 : at - 1, -1, keys.Length);
            bool moved = forward ? cursor.MoveNext() : cursor.MovePrevious();
            IsTrue(moved == (at >= 0 && at < keys.Length) && (!moved || cursor.Key.SequenceEqual(keys[at])), "a walk");
        }
    }

    private void ReadPrefixes(ReadTree tree, byte[][] keys, byte[] key)
    {
        byte[] prefix = key[.._random.Next(key.Length + 1)];
        byte[][] expected = [.. keys.Where(one => one.AsSpan().StartsWith(prefix))];
        Expect(tree.Prefix(prefix), expected);
        Expect(tree.Prefix(prefix).Reverse(), [.. expected.Reverse()]);
    }

    private void ReadRanges(ReadTree tree, byte[][] keys, byte[] low, byte[] high)
    {
        bool includeLow = _random.Next(2) == 0;
        bool includeHigh = _random.Next(2) == 0;
        byte[][] above = [.. keys.Where(key => ByteOrder.Instance.Compare(key, low) >= (includeLow ? 0 : 1))];
        byte[][] below = [.. keys.Where(key => ByteOrder.Instance.Compare(key, high) < (includeHigh ? 1 : 0))];
        byte[][] inside = [.. above.Where(key => ByteOrder.Instance.Compare(key, high) < (includeHigh ? 1 : 0))];
        TreeRange range = includeLow && !includeHigh ? tree.Range(low, high) : tree.Range(low, includeLow, high, includeHigh);
        Expect(range, inside);
        Expect(range.Reverse(), [.. inside.Reverse()]);
        TreeRange from = includeLow ? tree.From(low) : tree.After(low);
        Expect(from, above);
        Expect(from.Reverse(), [.. above.Reverse()]);
        TreeRange to = includeHigh ? tree.UpTo(high) : tree.To(high);
        Expect(to, below);
        Expect(to.Reverse(), [.. below.Reverse()]);
    }

    private void Expect(TreeRange range, byte[][] keys)
    {
        int at = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in range)
        {
            IsTrue(at < keys.Length && key.SequenceEqual(keys[at]) && value.SequenceEqual(_model[keys[at]]), "a range");
            if (++at == MostRows)
            {
                return;
            }
        }

        at.Should().Be(keys.Length);
    }

    private static int CeilingOf(byte[][] keys, byte[] key)
    {
        int at = Array.BinarySearch(keys, key, ByteOrder.Instance);
        return at < 0 ? ~at : at;
    }
}
