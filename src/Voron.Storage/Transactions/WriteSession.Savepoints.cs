namespace Voron.Storage.Transactions;

/// <content>
/// Savepoints, as a stack. Pages, open trees and redo each keep their own state for every savepoint; a savepoint's depth, the number of
/// savepoints before it, identifies it in all three.
/// </content>
internal sealed partial class WriteSession
{
    private readonly List<long> _savepoints = [];
    private long _lastSavepoint;

    /// <summary>Number of the transaction's savepoints.</summary>
    internal int Savepoints => _savepoints.Count;

    /// <summary>Creates a savepoint of the current state; returns a number that is unique in the environment.</summary>
    internal long CreateSavepoint(long generation)
    {
        CheckNoWriter();
        ApplyDeferred(generation);
        CheckUsable();
        _caller.Enter(generation);
        try
        {
            _savepoints.EnsureCapacity(_savepoints.Count + 1);
            _pages.CreateSavepoint();
            _open.CreateSavepoint();
            _redo.CreateSavepoint();
            _savepoints.Add(++_lastSavepoint);
        }
        finally
        {
            _caller.Leave();
        }

        return _lastSavepoint;
    }

    /// <summary>
    /// Undoes all changes since a savepoint. The savepoint remains valid, later ones are released. Clears a failure that occurred after it.
    /// </summary>
    internal void RollbackTo(long generation, long savepoint) => RollbackToDepth(generation, DepthOf(savepoint));

    internal void RollbackToDepth(long generation, int depth)
    {
        _caller.Enter(generation);
        try
        {
            EndWriters();
            _changes.Forget();
            _pages.RollbackTo(depth);
            _redo.RollbackTo(depth);
            _open.RollbackTo(depth);
            _savepoints.RemoveRange(depth + 1, _savepoints.Count - depth - 1);
            _poison = null;
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    /// <summary>Releases a savepoint and all later ones; the changes are kept.</summary>
    internal void Release(long generation, long savepoint)
    {
        int depth = DepthOf(savepoint);
        CheckUsable();
        ReleaseDepth(generation, depth);
    }

    internal void ReleaseDepth(long generation, int depth)
    {
        _caller.Enter(generation);
        try
        {
            _redo.Release(depth);
            _pages.Release(depth);
            _open.Release(depth);
            _savepoints.RemoveRange(depth, _savepoints.Count - depth);
        }
        finally
        {
            _caller.Leave();
        }
    }

    private int DepthOf(long savepoint)
    {
        int depth = _savepoints.IndexOf(savepoint);
        if (depth < 0)
        {
            Throw.NoSavepoint();
        }

        return depth;
    }
}
