using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <summary>
/// The savepoints of the write transaction, as a stack. Pages, open trees and redo each keep their own state for every savepoint; a
/// savepoint's depth, the number of savepoints before it, identifies it in all three.
/// </summary>
internal sealed class SessionSavepoints(
    SessionFrame frame, SessionTrees trees, SessionValues values, TreeChanges changes, PageWriter pages, TransactionRedo redo,
    OpenTreeTable open)
{
    private readonly SavepointStack<long> _numbers = new();
    private long _last;

    /// <summary>Number of the transaction's savepoints.</summary>
    internal int Count => _numbers.Count;

    /// <summary>Creates a savepoint of the current state; returns a number that is unique in the environment.</summary>
    internal long Create(long generation)
    {
        values.CheckNoWriter();
        trees.ApplyDeferred(generation);
        frame.CheckUsable();
        using (frame.Hold(generation))
        {
            _numbers.EnsureRoom();
            pages.CreateSavepoint();
            open.CreateSavepoint();
            redo.CreateSavepoint();
            _numbers.Create(++_last);
        }

        return _last;
    }

    /// <summary>
    /// Undoes all changes since a savepoint. The savepoint remains valid, later ones are released. Clears a failure that occurred after it.
    /// </summary>
    internal void RollbackTo(long generation, long savepoint) => RollbackToDepth(generation, DepthOf(savepoint));

    internal void RollbackToDepth(long generation, int depth)
    {
        Rollback change = new(this, depth);
        frame.Run(generation, ref change);
    }

    /// <summary>Releases a savepoint and all later ones; the changes are kept.</summary>
    internal void Release(long generation, long savepoint)
    {
        int depth = DepthOf(savepoint);
        frame.CheckUsable();
        ReleaseDepth(generation, depth);
    }

    internal void ReleaseDepth(long generation, int depth)
    {
        using (frame.Hold(generation))
        {
            redo.Release(depth);
            pages.Release(depth);
            open.Release(depth);
            _numbers.Release(depth);
        }
    }

    /// <summary>Forgets the savepoints of a transaction that ends.</summary>
    internal void Clear() => _numbers.Clear();

    private void Undo(int depth)
    {
        values.EndWriters();
        changes.Forget();
        pages.RollbackTo(depth);
        redo.RollbackTo(depth);
        open.RollbackTo(depth);
        _numbers.RollbackTo(depth);
        frame.Heal();
    }

    private int DepthOf(long savepoint)
    {
        int depth = _numbers.DepthOf(savepoint);
        if (depth < 0)
        {
            Throw.NoSavepoint();
        }

        return depth;
    }

    private readonly struct Rollback(SessionSavepoints savepoints, int depth) : SessionFrame.IChange
    {
        public void Run() => savepoints.Undo(depth);
    }
}
