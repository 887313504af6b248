using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Counts the pages, entries and bytes of a tree. Reads every node once, and no value.</summary>
internal sealed class TreeSurvey(PageSource source, TransactionId snapshot, PageNumber root)
{
    private long _entries;
    private int _depth;
    private long _branches;
    private long _leaves;
    private long _overflowPages;
    private long _overflowBytes;
    private long _leafBytes;

    internal TreeReport Run()
    {
        Visit(root, 1);
        return new TreeReport
        {
            Entries = _entries,
            Depth = _depth,
            BranchPages = _branches,
            LeafPages = _leaves,
            OverflowPages = _overflowPages,
            PageBytes = source.PageBytes,
            OverflowBytes = _overflowBytes,
            LeafFill = _leafBytes / ((double)_leaves * source.PageBytes),
        };
    }

    private void Visit(PageNumber page, int depth)
    {
        if (depth > TreePath.MaxDepth)
        {
            Throw.TooDeep(root, page);
        }

        Node node = Node.Read(source, snapshot, page);
        int count = node.Count;
        if (!node.IsLeaf)
        {
            _branches++;
            for (int i = 0; i < count; i++)
            {
                Visit(node.Child(i), depth + 1);
            }

            return;
        }

        _leaves++;
        _entries += count;
        _depth = depth;
        _leafBytes += PageHeader.SizeBytes + node.Prefix.Length;
        for (int i = 0; i < count; i++)
        {
            _leafBytes += NodeSlot.SizeBytes + node.EntryBytes(i);
            if (node.IsOverflow(i, out ReadOnlySpan<byte> value))
            {
                Count(Node.Reference(value));
            }
        }
    }

    private void Count(OverflowReference reference)
    {
        _overflowPages += OverflowReference.PagesOf(reference.Run.ValueBytes, source.PageBytes);
        _overflowBytes += reference.IsList ? 0 : reference.ValueBytes;
        if (reference.IsList)
        {
            foreach (OverflowReference piece in source.ReadList(reference, snapshot))
            {
                Count(piece);
            }
        }
    }
}
