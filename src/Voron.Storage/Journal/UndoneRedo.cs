using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// Which operations of a redo body count: for who cannot go back to savepoints, because he applies operations one by one for good. The
/// parts of the body are looked through in order, and then its operations are known by their number.
/// </summary>
internal sealed class UndoneRedo
{
    /// <summary>The operations behind the first number, up to the second one.</summary>
    private readonly List<(long Behind, long UpTo)> _undone = [];

    /// <summary>Numbers of the savepoints that a roll-back may still mean.</summary>
    private readonly List<long> _savepoints = [];
    private long _operations;

    /// <summary>Looks through the next part.</summary>
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

    /// <summary>The operation of this number, from 0 over all parts, was undone later.</summary>
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
