using Voron.Storage.Checks;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>
/// Tells what each page is used for: walks the catalog and the trees of a snapshot, and divides what they do not reach by the space maps
/// of the newest checkpoint. Reads every node once, and of long values only the lists of their pieces.
/// </summary>
internal sealed class SpaceSurvey
{
    private const int NoTree = -1;

    private readonly PageSource _source;
    private readonly TransactionId _snapshot;
    private readonly UsedPages _onDisk;
    private readonly ReachedPages _reached;
    private readonly Action<PageRun>? _visit;
    private readonly CancellationToken _cancellation;
    private readonly List<LevelTally> _levels = [];
    private PageRun _run;

    /// <summary>One more than the last page of the file, or than the last one that is reached.</summary>
    private PageNumber _end;
    private long _overflowPages;
    private long _freePages;
    private long _heldPages;

    private SpaceSurvey(ReaderSlot slot, UsedPages onDisk, Action<PageRun>? visit, CancellationToken cancellation)
    {
        _source = slot.Source;
        _snapshot = slot.Snapshot;
        _onDisk = onDisk;
        _reached = new ReachedPages(PageNumber.Max(_source.Mapped.EndPage, _source.Versions.EndPage));
        _end = _source.Mapped.EndPage;
        _visit = visit;
        _cancellation = cancellation;
    }

    internal static SpaceReport Run(Database database, Action<PageRun>? visit, CancellationToken cancellation)
    {
        ReaderSlot slot = database.BeginRead();
        long occupant = slot.Occupant;
        try
        {
            return new SpaceSurvey(slot, database.UsedOnDisk, visit, cancellation).Run();
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    private SpaceReport Run()
    {
        Reach(default, FormatConstants.CatalogRootPage.Value, PageUse.Header, NoTree);
        VisitNode(FormatConstants.CatalogRootPage, 0, NoTree);
        List<TreeSpace> trees = [];
        foreach (byte[] name in TreeName.ListAll(_source, _snapshot))
        {
            Catalog.TryFind(_source, _snapshot, name, out TreeRecord record);
            _levels.Clear();
            _overflowPages = 0;
            VisitNode(record.RootPage, 0, trees.Count);
            LevelReport[] levels = [.. _levels.Select(level => level.Report(_source.PageBytes))];
            trees.Add(new TreeSpace(name, record.EntryCount, _overflowPages, levels));
        }

        ReachMaps();
        DivideRest();
        Flush();
        return new SpaceReport
        {
            TransactionId = _snapshot.Value,
            PageBytes = _source.PageBytes,
            Pages = _end.Value,
            FilePages = _source.Mapped.EndPage.Value,
            FreePages = _freePages,
            HeldPages = _heldPages,
            Trees = trees,
        };
    }

    /// <summary>Space maps are at the beginning of each extent.</summary>
    private void ReachMaps()
    {
        SpaceLayout layout = new(_source.PageBytes);
        for (long group = 0; layout.MapPage(group) < _end; group += layout.GroupsPerExtent)
        {
            Reach(layout.MapPage(group), layout.GroupsPerExtent, PageUse.SpaceMap, NoTree);
        }
    }

    private void VisitNode(PageNumber page, int depth, int tree)
    {
        _cancellation.ThrowIfCancellationRequested();
        Node node = Node.Read(_source, _snapshot, page);
        PageUse use = tree == NoTree ? PageUse.Catalog : node.IsLeaf ? PageUse.Leaf : PageUse.Branch;
        if (depth > TreePath.MaxDepth || !Reach(page, 1, use, tree))
        {
            Throw.TwiceReached(page);
        }

        while (_levels.Count <= depth)
        {
            _levels.Add(new LevelTally());
        }

        int count = node.Count;
        long bytes = PageHeader.SizeBytes + node.Prefix.Length + ((long)count * NodeSlot.SizeBytes);
        for (int i = 0; i < count; i++)
        {
            bytes += node.EntryBytes(i);
            if (!node.IsLeaf)
            {
                VisitNode(node.Child(i), depth + 1, tree);
            }
            else if (node.IsOverflow(i, out ReadOnlySpan<byte> value))
            {
                ReachValue(Node.Reference(value), tree);
            }
        }

        _levels[depth].Add(bytes, _source.PageBytes);
    }

    private void ReachValue(OverflowReference reference, int tree)
    {
        long pages = OverflowReference.PagesOf(reference.Run.ValueBytes, _source.PageBytes);
        _overflowPages += pages;
        if (!Reach(reference.Run.FirstPage, pages, PageUse.Overflow, tree))
        {
            Throw.TwiceReached(reference.FirstPage);
        }

        if (reference.IsList)
        {
            foreach (OverflowReference piece in _source.ReadList(reference, _snapshot))
            {
                ReachValue(piece, tree);
            }
        }
    }

    /// <summary>Notes the use of pages; false if one of them has another use already, or is beyond the database.</summary>
    private bool Reach(PageNumber first, long count, PageUse use, int tree)
    {
        if (first.Value < 0 || count > _reached.EndPage - first)
        {
            return false;
        }

        bool isNew = true;
        for (PageNumber page = first; page < first + count; page++)
        {
            isNew &= _reached.Add(page);
        }

        _end = PageNumber.Max(_end, first + count);
        Tell(first, count, use, tree);
        return isNew;
    }

    private void DivideRest()
    {
        for (PageNumber page = default; page < _end; page++)
        {
            if (!_reached.Contains(page))
            {
                bool isHeld = _onDisk.IsUsed(page);
                _heldPages += isHeld ? 1 : 0;
                _freePages += isHeld ? 0 : 1;
                Tell(page, 1, isHeld ? PageUse.Held : PageUse.Free, NoTree);
            }
        }
    }

    /// <summary>Tells a visitor of runs that are as long as the order of the walk allows.</summary>
    private void Tell(PageNumber first, long count, PageUse use, int tree)
    {
        if (_run.Pages > 0 && _run.FirstPage + _run.Pages == first.Value && _run.Use == use && _run.Tree == tree)
        {
            _run = _run with { Pages = _run.Pages + count };
            return;
        }

        Flush();
        _run = new PageRun(first.Value, count, use, tree);
    }

    private void Flush()
    {
        if (_run.Pages > 0)
        {
            _visit?.Invoke(_run);
        }

        _run = default;
    }

    private sealed class LevelTally
    {
        private const int Parts = 10;

        private readonly long[] _byFill = new long[Parts];
        private long _pages;
        private long _bytes;

        internal void Add(long bytes, int pageBytes)
        {
            _pages++;
            _bytes += bytes;
            _byFill[Math.Min(Parts - 1, bytes * Parts / pageBytes)]++;
        }

        internal LevelReport Report(int pageBytes) => new(_pages, _bytes / ((double)_pages * pageBytes), _byFill);
    }
}
