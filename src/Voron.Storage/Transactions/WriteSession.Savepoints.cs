namespace Voron.Storage.Transactions;

/// <content>
/// Savepoints, one behind the other. Pages, open trees and redo notes each keep what they need for every one of them; a savepoint's depth,
/// the number of those before it, is its place with all three.
/// </content>
internal sealed partial class WriteSession
{
    private readonly List<long> _savepoints = [];
    private long _lastSavepoint;

    /// <summary>Savepoints of the transaction.</summary>
    internal int Savepoints => _savepoints.Count;

    /// <summary>Remembers the present state; returns a number that no other savepoint of the environment has.</summary>
    internal long CreateSavepoint(long generation)
    {
        CheckNoWriter();
        MakeNotedPuts(generation);
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
    /// Undoes everything since a savepoint, which stays; those behind it go. Heals a transaction that failed behind it.
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

    /// <summary>Forgets a savepoint and those behind it; the changes stay.</summary>
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
