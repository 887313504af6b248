using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>A tree beside a sorted dictionary: the same changes on both, and comparisons of all that can be read.</summary>
internal sealed class TreeModel
{
    private readonly Random _random;
    private readonly KeyShapes _shapes;
    private readonly List<byte[]> _keys = [];
    private SortedDictionary<byte[], byte[]> _entries = new(ByteOrder.Instance);
    private SortedDictionary<byte[], byte[]> _atBegin = new(ByteOrder.Instance);
    private PageNumber _rootAtBegin;
    private byte[] _mergedTo = [];

    internal TreeModel(MemoryPages pages, Random random, bool pending = false)
    {
        Pages = pages;
        _random = random;
        _shapes = new KeyShapes(random, pages.MaxKeyBytes);
        pages.Begin();
        Root = pages.Trees.CreateRoot();
        if (pending)
        {
            pages.Trees.Pending.Begin(Root, TreeKind.Ordered);
        }

        pages.Commit();
    }

    internal MemoryPages Pages { get; }

    internal PageNumber Root { get; }

    internal int Count => _entries.Count;

    internal void Begin()
    {
        _atBegin = new SortedDictionary<byte[], byte[]>(_entries, ByteOrder.Instance);
        _rootAtBegin = Root;
        Pages.Begin();
    }

    internal void Rollback()
    {
        Pages.Rollback();
        Root.Should().Be(_rootAtBegin);
        _entries = _atBegin;
    }

    /// <summary>Moves some pending entries, from where the last move ended, to the leaves.</summary>
    internal void Merge()
    {
        byte[] next = new byte[Pages.MaxKeyBytes + 1];
        int most = _random.Next(3) == 0 ? int.MaxValue : _random.Next(1, 200);
        MergeResult result = Pages.Trees.Pending.Merge(Root, _mergedTo, most, next);
        _mergedTo = next[..Math.Min(result.NextBytes, Pages.MaxKeyBytes)];
    }

    internal KeyValuePair<byte[], byte[]>[] Freeze() => [.. _entries];

    /// <summary>One random change; <paramref name="growth"/> of 100 are insertions or replacements, the rest deletions.</summary>
    internal void Change(int growth, int shape)
    {
        if (_random.Next(100) >= growth)
        {
            Delete(_random.Next(4) == 0 ? _shapes.Next(shape) : Known());
            return;
        }

        byte[] key = _random.Next(4) == 0 ? Known() : _shapes.Next(shape);
        byte[] value = KeyShapes.Filled(_random, ValueLength());
        bool isNew = !_entries.ContainsKey(key);
        switch (_random.Next(8))
        {
            case 0:
                Pages.Trees.FindPlace(Root, key).Should().Be(!isNew);
                if (!isNew)
                {
                    return;
                }

                Pages.Trees.InsertFound(Root, key, value);
                break;
            case 1:
                bool isLast = _entries.Count == 0 || ByteOrder.Instance.Compare(key, LastKey()) > 0;
                if (isLast)
                {
                    (byte[] Key, byte[] Value)[] run = Run(key);
                    Pages.TryAppend(Root, run).Should().BeTrue();
                    foreach ((byte[] appended, byte[] itsValue) in run)
                    {
                        _entries[appended] = itsValue;
                        _keys.Add(appended);
                    }

                    return;
                }

                Pages.TryAppend(Root, (key, value)).Should().BeFalse();
                Pages.Trees.Put(Root, key, value).Should().Be(isNew);
                break;
            case 2 when _random.Next(20) == 0:
                DeleteRange(key, _random.Next(3) == 0 ? Known() : Above(key));
                Pages.Trees.Put(Root, key, value).Should().Be(!_entries.ContainsKey(key));
                break;
            default:
                Pages.Trees.Put(Root, key, value).Should().Be(isNew);
                break;
        }

        _entries[key] = value;
        _keys.Add(key);
    }

    /// <summary>Ascending entries from this key on: a few, or more than a leaf takes.</summary>
    private (byte[] Key, byte[] Value)[] Run(byte[] key)
    {
        List<(byte[] Key, byte[] Value)> run = [];
        int count = _random.Next(10) == 0 ? 200 : _random.Next(1, 5);
        for (; run.Count < count && key.Length < Pages.MaxKeyBytes; key = Above(key))
        {
            run.Add((key, KeyShapes.Filled(_random, ValueLength())));
        }

        return run.Count == 0 ? [(key, [])] : [.. run];
    }

    internal void DeleteRange(byte[] from, byte[] to)
    {
        byte[][] inside = [.. _entries.Keys.Where(key => ByteOrder.Instance.Compare(key, from) >= 0
            && ByteOrder.Instance.Compare(key, to) < 0)];
        Pages.Trees.HasAny(Root, from, to).Should().Be(inside.Length > 0);
        Pages.Trees.DeleteRange(Root, from, to, out _).Should().Be(inside.Length);
        foreach (byte[] key in inside)
        {
            _entries.Remove(key);
        }
    }

    internal void Delete(byte[] key) => Pages.Trees.Delete(Root, key).Should().Be(_entries.Remove(key));

    /// <summary>Deletes everything, in key order, backwards or at random.</summary>
    internal void Drain()
    {
        byte[][] keys = [.. _entries.Keys];
        int order = _random.Next(3);
        if (order == 1)
        {
            Array.Reverse(keys);
        }
        else if (order == 2)
        {
            _random.Shuffle(keys);
        }

        foreach (byte[] key in keys.AsSpan(0, keys.Length - _random.Next(Math.Min(3, keys.Length + 1))))
        {
            Delete(key);
        }

        _keys.Clear();
    }

    /// <summary>
    /// Rules of all nodes, pages in use, and every entry, in both directions and by key, as the open transaction sees them.
    /// </summary>
    internal void Prove()
    {
        TreeProof proof = TreeProof.Of(Pages, Root, Pages.Writer.TransactionId);
        PendingLayers? pending = Pages.Source.Pending.Of(Root, Pages.Writer.TransactionId);
        if (pending is null)
        {
            proof.Entries.Should().Be(Count);
        }
        else
        {
            Pages.Writer.InMemory.Count.Should().Be(TreeProof.Of(Pages, pending.Top, Pages.Writer.TransactionId).Pages);
        }

        Pages.CountUsedPages().Should().Be(proof.Pages);
        Compare(Freeze(), Pages.Writer.TransactionId);
    }

    internal void Compare(KeyValuePair<byte[], byte[]>[] expected, TransactionId snapshot)
    {
        RowCursor cursor = Pages.OpenCursor(Root, snapshot);
        foreach ((byte[] key, byte[] value) in expected)
        {
            IsTrue(cursor.MoveNext() && cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value), "forward", key);
            IsTrue(Pages.TryFind(Root, key, snapshot, out ReadOnlySpan<byte> found) && found.SequenceEqual(value), "lookup", key);
        }

        cursor.MoveNext().Should().BeFalse();
        for (int i = expected.Length - 1; i >= 0; i--)
        {
            bool same = cursor.MovePrevious() && cursor.Key.SequenceEqual(expected[i].Key) && cursor.Value.SequenceEqual(expected[i].Value);
            IsTrue(same, "backward", expected[i].Key);
        }

        cursor.MovePrevious().Should().BeFalse();
        CompareSeeks(expected, snapshot);
    }

    private static void IsTrue(bool condition, string what, byte[] key)
    {
        if (!condition)
        {
            string start = Convert.ToHexString(key.AsSpan(0, Math.Min(32, key.Length)));
            Assert.Fail($"{what} does not give {start} ({key.Length} bytes) and its value");
        }
    }

    private void CompareSeeks(KeyValuePair<byte[], byte[]>[] expected, TransactionId snapshot)
    {
        RowCursor cursor = Pages.OpenCursor(Root, snapshot);
        byte[][] keys = [.. expected.Select(entry => entry.Key)];
        for (int i = 0; i < 200; i++)
        {
            byte[] key = _shapes.Next(_random.Next(KeyShapes.Count));
            int at = Array.BinarySearch(keys, key, ByteOrder.Instance);
            int ceiling = at >= 0 ? at : ~at;
            int floor = at >= 0 ? at : ~at - 1;
            Pages.TryFind(Root, key, snapshot, out _).Should().Be(at >= 0);
            bool found = cursor.Seek(key);
            IsTrue(found == (ceiling < keys.Length) && (!found || cursor.Key.SequenceEqual(keys[ceiling])), "seek", key);
            bool before = cursor.MovePrevious();
            IsTrue(before == (ceiling > 0) && (!before || cursor.Key.SequenceEqual(keys[ceiling - 1])), "seek and previous", key);
            found = cursor.SeekFloor(key);
            IsTrue(found == (floor >= 0) && (!found || cursor.Key.SequenceEqual(keys[floor])), "seek floor", key);
            bool behind = cursor.MoveNext();
            IsTrue(behind == (floor + 1 < keys.Length) && (!behind || cursor.Key.SequenceEqual(keys[floor + 1])), "floor and next", key);
        }
    }

    private byte[] LastKey() => _entries.Keys.Last();

    /// <summary>A key a little above this one.</summary>
    private byte[] Above(byte[] key) => key.Length < Pages.MaxKeyBytes ? [.. key, (byte)_random.Next(256)] : [.. LongerRun()];

    private byte[] LongerRun()
    {
        byte[] run = new byte[Pages.MaxKeyBytes];
        Array.Fill(run, (byte)0xFF);
        return run;
    }

    private byte[] Known() => _keys.Count == 0 ? [] : _keys[_random.Next(_keys.Count)];

    private int ValueLength() => _random.Next(40) switch
    {
        0 => Pages.PageBytes / 4,
        1 => (Pages.PageBytes / 4) + 1,
        2 => _random.Next(Pages.PageBytes * 3),
        3 => 0,
        < 6 => (Pages.PageBytes / 2) - _random.Next(60),
        < 12 => _random.Next((Pages.PageBytes / 4) + 1),
        _ => _random.Next(120),
    };
}
