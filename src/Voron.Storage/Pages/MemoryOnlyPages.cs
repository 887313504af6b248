using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// Numbers of the pages that have no place in the data file. The free ones are a stack, so undoing the changes of a transaction in reverse
/// order restores it exactly. Requires the writer lock.
/// </summary>
/// <param name="pending">Which of them are roots of pending trees: undone with them.</param>
internal sealed class MemoryOnlyPages(PendingRoots pending)
{
    private readonly List<PageNumber> _free = [];
    private readonly List<Change> _changes = [];
    private PageNumber _end = PageNumber.FirstInMemory;
    private PendingRoot[] _pendingAtBegin = [];

    /// <summary>Number of pages in use.</summary>
    internal long Count => _end - PageNumber.FirstInMemory - _free.Count;

    /// <summary>Number of changes that the transaction has made.</summary>
    internal int Changes => _changes.Count;

    internal PageNumber Allocate()
    {
        if (_free.Count == 0)
        {
            _changes.Add(new Change(_end, ChangeKind.Added));
            return _end++;
        }

        PageNumber page = _free[^1];
        _free.RemoveAt(_free.Count - 1);
        _changes.Add(new Change(page, ChangeKind.Reused));
        return page;
    }

    /// <summary>Frees a page; it may be used again at once, because versions protect older snapshots.</summary>
    internal void Free(PageNumber page)
    {
        _free.Add(page);
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
            switch (_changes[i].Kind)
            {
                case ChangeKind.Added:
                    _end--;
                    break;
                case ChangeKind.Reused:
                    _free.Add(_changes[i].Page);
                    break;
                default:
                    _free.RemoveAt(_free.Count - 1);
                    break;
            }
        }

        _changes.RemoveRange(changes, _changes.Count - changes);
    }

    private enum ChangeKind
    {
        Added,
        Reused,
        Freed,
    }

    private readonly record struct Change(PageNumber Page, ChangeKind Kind);
}
