using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// Which operations of a redo body count: for who cannot go back to savepoints, because he applies operations one by one for good.
/// </summary>
internal sealed class UndoneRedo
{
    private readonly List<(int From, int To)> _undone = [];

    internal UndoneRedo(ReadOnlySpan<byte> body)
    {
        List<int> savepoints = [];
        RedoReader redo = new(body);
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.Savepoint:
                    savepoints.Add(redo.NextOffset);
                    break;
                case RedoOperation.RollbackTo when redo.Depth < savepoints.Count:
                    savepoints.RemoveRange(redo.Depth + 1, savepoints.Count - redo.Depth - 1);
                    _undone.Add((savepoints[redo.Depth], redo.NextOffset));
                    break;
                case RedoOperation.Release when redo.Depth < savepoints.Count:
                    savepoints.RemoveRange(redo.Depth, savepoints.Count - redo.Depth);
                    break;
            }
        }
    }

    /// <summary>The operation that ends at this offset was undone later.</summary>
    internal bool Contains(int endOffset)
    {
        foreach ((int from, int to) in _undone)
        {
            if (endOffset > from && endOffset <= to)
            {
                return true;
            }
        }

        return false;
    }
}
