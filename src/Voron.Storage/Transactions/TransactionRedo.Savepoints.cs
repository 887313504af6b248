using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <content>
/// Savepoints. While the redo since a savepoint is still in memory, rolling back to it truncates the redo, and the journal never sees it.
/// When redo is sent as a fragment, the savepoints before and in it are recorded as well, and rolling back to one of those is a redo
/// operation of its own.
/// </content>
internal sealed partial class TransactionRedo
{
    private readonly SavepointStack<Mark> _marks = new();

    internal void CreateSavepoint() => _marks.Create(new Mark(_writer.Written.Length, _selected, _fragments, IsNoted: false));

    /// <summary>Discards the redo since a savepoint. The savepoint remains valid; later ones are released.</summary>
    internal void RollbackTo(int depth)
    {
        Mark mark = _marks.RollbackTo(depth);
        if (mark.Fragments == _fragments)
        {
            _writer.Truncate(mark.Length);
            _selected = mark.Selected;
            _marks[depth] = mark with { IsNoted = false };
            return;
        }

        // All redo still in memory was written after the fragment, and so after the savepoint.
        _writer.Truncate(0);
        _writer.RollbackTo(depth);

        _selected = -1;
    }

    /// <summary>Releases a savepoint and all later ones; the redo is kept.</summary>
    internal void Release(int depth)
    {
        if (_marks[depth].IsNoted)
        {
            _writer.Release(depth);
        }

        _marks.Release(depth);
    }

    /// <summary>Before a fragment is sent: records the savepoints in the redo, each at the position where it was created.</summary>
    private void NoteSavepoints()
    {
        int inserted = 0;
        for (int depth = 0; depth < _marks.Count; depth++)
        {
            Mark mark = _marks[depth];
            if (!mark.IsNoted)
            {
                int at = mark.Length + inserted;
                inserted += _writer.InsertSavepoint(at);
                _marks[depth] = mark with { Length = at, IsNoted = true };
            }
        }
    }

    /// <param name="Length">Bytes of redo when the savepoint was created.</param>
    /// <param name="Selected">Index of the tree selected in the redo, or −1.</param>
    /// <param name="Fragments">Number of fragments sent by then.</param>
    /// <param name="IsNoted">Whether the savepoint itself is recorded in the redo.</param>
    private readonly record struct Mark(int Length, int Selected, uint Fragments, bool IsNoted);
}
