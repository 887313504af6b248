using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Checks;

/// <summary>Walks one tree for <see cref="SnapshotCheck"/>, node by node, without recursion deeper than a tree can be.</summary>
internal sealed class TreeWalk(SnapshotCheck check, PageSource source, TransactionId snapshot, string name, BlockCheck? blocks = null)
{
    private const int MaxDepth = 24;

    private readonly bool _isCatalog = name == "the catalog";
    private int _leafDepth = -1;

    /// <summary>Number of entries, or of pairs in blocks, in the leaves that could be read.</summary>
    internal long Entries { get; private set; }

    /// <summary>False if a part of the tree could not be read.</summary>
    internal bool IsComplete { get; private set; } = true;

    /// <summary>The rows of the catalog; empty for other trees.</summary>
    internal List<(byte[] Name, byte[] Value)> CatalogRows { get; } = [];

    internal void Run(PageNumber root) => Walk(root, 0, low: null, high: null);

    /// <param name="page">The node.</param>
    /// <param name="depth">0 for the root.</param>
    /// <param name="low">Keys are at least this; null: no bound.</param>
    /// <param name="high">Keys are below this; null: no bound.</param>
    private void Walk(PageNumber page, int depth, byte[]? low, byte[]? high)
    {
        if (page < FormatConstants.CatalogRootPage || depth > MaxDepth)
        {
            Broken(page, $"a node of {name} lies at depth {depth} in page {page}, which cannot be");
            return;
        }

        using PageBuffers.Hold held = source.Hold();
        if (!check.Reach(page, 1, name) || !TryOpen(page, low, high, out NodeReader node))
        {
            IsComplete = false;
            return;
        }

        CheckPlace(page, node, depth);
        for (int i = 0; i < node.Count; i++)
        {
            if (node.TryGetEntry(i, out NodeEntry entry) is { } problem)
            {
                Broken(page, problem);
                continue;
            }

            bool hasKey = node.Kind == PageKind.Leaf || i > 0;
            bool isBelow = hasKey && low is not null && node.CompareKey(entry, low) < 0;
            if (isBelow || (hasKey && high is not null && node.CompareKey(entry, high) >= 0))
            {
                Broken(page, $"the key of entry {i} lies outside the bounds that the parent sets");
            }

            if (node.Kind == PageKind.Branch)
            {
                Walk(entry.Child, depth + 1, i == 0 ? low : node.KeyOf(i, entry), UpperBound(node, i, high));
            }
            else
            {
                VisitRow(page, i, node, entry, high);
            }
        }
    }

    private bool TryOpen(PageNumber page, byte[]? low, byte[]? high, out NodeReader node)
    {
        node = default;
        try
        {
            PageView view = source.Read(page, snapshot);
            if (NodeReader.TryOpen(view, source.PageBytes, out node) is { } problem)
            {
                Broken(page, $"{problem}; it holds {KeyText.Range(low, high)} of {name}");
                return false;
            }
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            check.Find(page, $"{error.Message} Page {page} holds {KeyText.Range(low, high)} of {name}.");
            return false;
        }

        if (node.FindProblem() is { } inside)
        {
            Broken(page, inside);
        }

        return true;
    }

    private void CheckPlace(PageNumber page, in NodeReader node, int depth)
    {
        if (node.PageNumber != page)
        {
            Broken(page, $"it says it is page {node.PageNumber}");
        }

        if (node.TransactionId > snapshot)
        {
            Broken(page, $"it was made by transaction {node.TransactionId}, which is newer than the snapshot {snapshot}");
        }

        if (node.Kind == PageKind.Leaf && _leafDepth >= 0 && _leafDepth != depth)
        {
            Broken(page, $"the leaf lies at depth {depth}, others of {name} at {_leafDepth}");
        }

        if (node.Kind == PageKind.Leaf && _leafDepth < 0)
        {
            _leafDepth = depth;
        }

        if (node.Kind == PageKind.Leaf && node.Count == 0 && depth > 0)
        {
            Broken(page, $"an empty leaf below the root of {name}");
        }
    }

    private void VisitRow(PageNumber page, int index, in NodeReader node, in NodeEntry entry, byte[]? high)
    {
        if (blocks is not null && !entry.IsOverflow)
        {
            Entries += blocks.Take(node.KeyOf(index, entry), entry.Value, high, out string? problem);
            if (problem is not null)
            {
                Broken(page, $"entry {index}: {problem}");
            }

            return;
        }

        if (blocks is not null)
        {
            Broken(page, $"entry {index} of {name} has pages of its own, and blocks of values have none");
        }

        Entries++;
        using PageBuffers.Hold held = source.Hold();
        ReadOnlySpan<byte> value = entry.IsOverflow && !entry.Overflow.IsList
            ? VisitRun(page, index, node, entry, entry.Overflow)
            : entry.Value;
        if (entry.IsOverflow && entry.Overflow.IsList)
        {
            VisitRun(page, index, node, entry, entry.Overflow.Run);
            VisitPieces(page, index, node, entry);
        }

        if (_isCatalog)
        {
            CatalogRows.Add((node.KeyOf(index, entry), value.ToArray()));
        }
    }

    private ReadOnlySpan<byte> VisitRun(PageNumber page, int index, in NodeReader node, in NodeEntry entry, OverflowReference run)
    {
        try
        {
            ReadOnlySpan<byte> content = source.ReadOverflow(run, snapshot);
            long pages = OverflowReference.PagesOf(run.ValueBytes, source.PageBytes);
            check.Reach(run.FirstPage, pages, $"the value of entry {index} in page {page}");
            return content;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            check.Find(run.FirstPage, $"{error.Message} {ValueOf(node, index, entry)}");
            return default;
        }
    }

    private void VisitPieces(PageNumber page, int index, in NodeReader node, in NodeEntry entry)
    {
        try
        {
            foreach (OverflowReference piece in source.ReadList(entry.Overflow, snapshot))
            {
                using PageBuffers.Hold held = source.Hold();
                VisitRun(page, index, node, entry, piece);
            }
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            check.Find(entry.Overflow.FirstPage, $"{error.Message} {ValueOf(node, index, entry)}");
        }
    }

    private string ValueOf(in NodeReader node, int index, in NodeEntry entry) =>
        $"It holds the value of key '{KeyText.Of(node.KeyOf(index, entry))}' of {name}.";

    private static byte[]? UpperBound(in NodeReader node, int index, byte[]? high) =>
        index + 1 < node.Count && node.TryGetEntry(index + 1, out NodeEntry next) is null ? node.KeyOf(index + 1, next) : high;

    private void Broken(PageNumber page, string problem)
    {
        IsComplete = false;
        check.Find(page, $"Page {page}: {problem}.");
    }
}
