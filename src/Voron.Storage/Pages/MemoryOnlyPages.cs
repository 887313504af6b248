using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// Numbers of the pages that have no place in the data file: even ones, and odd ones for lower layers of pending trees, so that both can be
/// counted. The free ones are a stack each, so undoing the changes of a transaction in reverse order restores it exactly. Requires the
/// writer lock.
/// </summary>
/// <param name="pending">Which of them are roots of pending trees: undone with them.</param>
internal sealed class MemoryOnlyPages(PendingRoots pending)
{
    private const int Kinds = 2;

    private readonly List<PageNumber>[] _free = [[], []];
    private readonly PageNumber[] _end = [PageNumber.FirstInMemory, PageNumber.FirstInMemory + 1];
    private readonly List<Change> _changes = [];
    private PendingRoot[] _pendingAtBegin = [];

    /// <summary>Number of pages in use.</summary>
    internal long Count => CountOf(0) + LayerCount;

    /// <summary>How many of them are of lower layers.</summary>
    internal long LayerCount => CountOf(1);

    /// <summary>Whether the pages that are allocated are of a lower layer.</summary>
    internal bool MakesLayer { get; set; }

    /// <summary>Number of changes that the transaction has made.</summary>
    internal int Changes => _changes.Count;

    internal PageNumber Allocate()
    {
        int kind = MakesLayer ? 1 : 0;
        List<PageNumber> free = _free[kind];
        if (free.Count == 0)
        {
            PageNumber added = _end[kind];
            _changes.Add(new Change(added, ChangeKind.Added));
            _end[kind] = added + Kinds;
            return added;
        }

        PageNumber page = free[^1];
        free.RemoveAt(free.Count - 1);
        _changes.Add(new Change(page, ChangeKind.Reused));
        return page;
    }

    /// <summary>Frees a page; it may be used again at once, because versions protect older snapshots.</summary>
    internal void Free(PageNumber page)
    {
        _free[KindOf(page)].Add(page);
        _changes.Add(new Change(page, ChangeKind.Freed));
    }

    internal void Begin() => _pendingAtBegin = pending.All;

    internal void Commit() => _changes.Clear();

    internal void Rollback()
    {
        RollbackTo(0);
        pending.All = _pendingAtBegin;
    }

    /// <summary>Undoes all but the first <paramref name="changes"/> changes of the transaction.</summary>
    internal void RollbackTo(int changes)
    {
        for (int i = _changes.Count - 1; i >= changes; i--)
        {
            PageNumber page = _changes[i].Page;
            List<PageNumber> free = _free[KindOf(page)];
            switch (_changes[i].Kind)
            {
                case ChangeKind.Added:
                    _end[KindOf(page)] = page;
                    break;
                case ChangeKind.Reused:
                    free.Add(page);
                    break;
                default:
                    free.RemoveAt(free.Count - 1);
                    break;
            }
        }

        _changes.RemoveRange(changes, _changes.Count - changes);
    }

    private static int KindOf(PageNumber page) => (int)((page - PageNumber.FirstInMemory) % Kinds);

    private long CountOf(int kind) => ((_end[kind] - PageNumber.FirstInMemory) / Kinds) - _free[kind].Count;

    private enum ChangeKind
    {
        Added,
        Reused,
        Freed,
    }

    private readonly record struct Change(PageNumber Page, ChangeKind Kind);
}
