using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// Finds which operations of a redo body were undone, for consumers that apply operations irrevocably (salvage) and so cannot roll back
/// to a savepoint. Scan the parts of the body in order; then query its operations by number.
/// </summary>
internal sealed class UndoneRedo
{
    /// <summary>Ranges of undone operations: after the first number, up to and including the second.</summary>
    private readonly List<(long Behind, long UpTo)> _undone = [];

    /// <summary>Operation numbers of the savepoints that a roll-back may still refer to.</summary>
    private readonly List<long> _savepoints = [];
    private long _operations;

    /// <summary>Scans the next part.</summary>
    internal void LookThrough(RedoReader part)
    {
        for (; part.MoveNext(); _operations++)
        {
            switch (part.Operation)
            {
                case RedoOperation.Savepoint:
                    _savepoints.Add(_operations);
                    break;
                case RedoOperation.RollbackTo when part.Depth < _savepoints.Count:
                    _savepoints.RemoveRange(part.Depth + 1, _savepoints.Count - part.Depth - 1);
                    _undone.Add((_savepoints[part.Depth], _operations));
                    break;
                case RedoOperation.Release when part.Depth < _savepoints.Count:
                    _savepoints.RemoveRange(part.Depth, _savepoints.Count - part.Depth);
                    break;
            }
        }
    }

    /// <summary>Whether the operation of this number, counted from 0 across all parts, was undone later.</summary>
    internal bool Contains(long operation)
    {
        foreach ((long behind, long upTo) in _undone)
        {
            if (operation > behind && operation <= upTo)
            {
                return true;
            }
        }

        return false;
    }
}
