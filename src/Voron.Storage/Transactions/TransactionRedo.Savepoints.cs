using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <content>
/// Savepoints. As long as what was noted since one is here, going back to it cuts the notes, and the journal never learns of it. Only when
/// notes leave as a fragment, the savepoints before and in them are noted as well, and going back to one of those is an operation of its
/// own.
/// </content>
internal sealed partial class TransactionRedo
{
    private readonly List<Mark> _marks = [];

    internal void CreateSavepoint() => _marks.Add(new Mark(_writer.Written.Length, _selected, _fragments, IsNoted: false));

    /// <summary>Forgets what was noted since a savepoint, which stays; those behind it go.</summary>
    internal void RollbackTo(int depth)
    {
        Mark mark = _marks[depth];
        _marks.RemoveRange(depth + 1, _marks.Count - depth - 1);

        if (mark.Fragments == _fragments)
        {
            _writer.Truncate(mark.Length);
            _selected = mark.Selected;
            _marks[depth] = mark with { IsNoted = false };
            return;
        }

        // All that is left here was noted behind the fragment, and so behind the savepoint.
        _writer.Truncate(0);
        _writer.RollbackTo(depth);

        _selected = -1;
    }

    /// <summary>Forgets a savepoint and those behind it; what was noted stays.</summary>
    internal void Release(int depth)
    {
        if (_marks[depth].IsNoted)
        {
            _writer.Release(depth);
        }

        _marks.RemoveRange(depth, _marks.Count - depth);
    }

    /// <summary>The notes are about to leave: from now on the journal knows the savepoints, each in its place among the notes.</summary>
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

    /// <param name="Length">Of the notes when the savepoint was created.</param>
    /// <param name="Selected">The tree that further notes were for.</param>
    /// <param name="Fragments">Fragments that had left by then.</param>
    /// <param name="IsNoted">The savepoint itself is in the notes.</param>
    private readonly record struct Mark(int Length, int Selected, uint Fragments, bool IsNoted);
}
