using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Tests.Trees;

/// <summary>Walks a whole tree with the checked decoder and proves its rules; counts what it finds.</summary>
internal sealed class TreeProof
{
    private readonly PageSource _source;
    private readonly TransactionId _snapshot;
    private readonly HashSet<PageNumber> _pages = [];
    private int _leafDepth = -1;

    private TreeProof(PageSource source, TransactionId snapshot)
    {
        _source = source;
        _snapshot = snapshot;
    }

    internal int Pages => _pages.Count;

    internal int Depth => _leafDepth + 1;

    internal int Leaves { get; private set; }

    internal long Entries { get; private set; }

    /// <summary>Bytes of leaves that are neither free nor dead.</summary>
    internal long LiveLeafBytes { get; private set; }

    /// <summary>Live bytes of the leaf that has the fewest.</summary>
    internal long LeastLeafBytes { get; private set; } = long.MaxValue;

    internal static TreeProof Of(MemoryPages pages, PageNumber root, TransactionId snapshot)
    {
        TreeProof proof = new(pages.Source, snapshot);
        proof.Walk(root, 0, [], null);
        return proof;
    }

    private void Walk(PageNumber page, int depth, byte[] low, byte[]? high)
    {
        _pages.Add(page).Should().BeTrue("page {0} must be reachable once", page);
        string? problem = NodeReader.TryOpen(_source.Read(page, _snapshot), _source.PageBytes, out NodeReader node) ?? node.FindProblem();
        problem.Should().BeNull("page {0} must be sound", page);
        node.PageNumber.Should().Be(page);
        if (node.Kind == PageKind.Leaf)
        {
            (node.Count > 0 || depth == 0).Should().BeTrue("only a root may be empty, page {0} is not one", page);
            (_leafDepth == -1 || _leafDepth == depth).Should().BeTrue("all leaves have the same depth");
            _leafDepth = depth;
            Leaves++;
            Entries += node.Count;
            LiveLeafBytes += PageHeader.SizeBytes + (node.Count * NodeSlot.SizeBytes) + node.Prefix.Length;
        }

        long liveBefore = LiveLeafBytes;
        for (int i = 0; i < node.Count; i++)
        {
            node.TryGetEntry(i, out NodeEntry entry).Should().BeNull();
            byte[] key = node.KeyOf(i, entry);
            if (node.Kind == PageKind.Leaf)
            {
                ProveLeafEntry(page, i, key, low, high, entry);
                continue;
            }

            byte[] lower = i == 0 ? low : key;
            byte[]? upper = high;
            if (i + 1 < node.Count)
            {
                node.TryGetEntry(i + 1, out NodeEntry next).Should().BeNull();
                upper = node.KeyOf(i + 1, next);
            }

            IsWithin(lower, low, high).Should().BeTrue("separator {0} of page {1} lies between its ancestors' separators", i, page);
            Walk(entry.Child, depth + 1, lower, upper);
        }

        if (node.Kind == PageKind.Leaf)
        {
            long headBytes = PageHeader.SizeBytes + (node.Count * NodeSlot.SizeBytes) + node.Prefix.Length;
            LeastLeafBytes = Math.Min(LeastLeafBytes, headBytes + LiveLeafBytes - liveBefore);
        }
    }

    private static bool IsWithin(byte[] key, byte[] low, byte[]? high) =>
        ByteOrder.Instance.Compare(key, low) >= 0 && (high is null || ByteOrder.Instance.Compare(key, high) < 0);

    private void ProveLeafEntry(PageNumber page, int index, byte[] key, byte[] low, byte[]? high, in NodeEntry entry)
    {
        IsWithin(key, low, high).Should().BeTrue("key {0} of page {1} lies between its separators", index, page);
        LiveLeafBytes += sizeof(ushort) + entry.Tail.Length + entry.Value.Length;
        int valueBytes = entry.IsOverflow ? (int)entry.Overflow.ValueBytes : entry.Value.Length;
        entry.IsOverflow.Should().Be(!Node.HoldsValue(_source.PageBytes, key.Length, valueBytes));
        if (!entry.IsOverflow)
        {
            return;
        }

        _source.ReadOverflow(entry.Overflow, _snapshot).Length.Should().Be((int)entry.Overflow.ValueBytes);
        long count = (entry.Overflow.ValueBytes + OverflowHeader.SizeBytes + _source.PageBytes - 1) / _source.PageBytes;
        for (PageNumber p = entry.Overflow.FirstPage; p < entry.Overflow.FirstPage + count; p++)
        {
            _pages.Add(p).Should().BeTrue("overflow page {0} must belong to one value", p);
        }
    }
}
