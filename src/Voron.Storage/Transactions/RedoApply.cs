using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Transactions;

/// <summary>
/// Makes a transaction of its redo through the ordinary tree code: in recovery, and on a node that takes the transactions of another one.
/// What names pages of one node, and what notes a time, is left to its callers.
/// </summary>
internal sealed class RedoApply(WriteSession session)
{
    /// <summary>The tree that the next operations change; negative before one is selected.</summary>
    internal int Tree { get; private set; } = -1;

    /// <summary>Begins with the first part of another transaction.</summary>
    internal void Begin() => Tree = -1;

    /// <summary>Makes an operation; false if no transaction can have noted it here.</summary>
    internal bool TryApply(in RedoReader redo)
    {
        SessionTrees trees = session.Trees;
        long generation = session.Generation;
        switch (redo.Operation)
        {
            case RedoOperation.SelectTree:
                Tree = trees.Find(generation, redo.Key);
                return true;
            case RedoOperation.CreateTree:
                trees.Open(generation, redo.Key, create: true);
                return true;
            case RedoOperation.CreateTreeOf:
                trees.Open(generation, redo.Key, redo.Shape, create: true);
                return true;
            case var _ when Tree >= 0 && trees.TryApply(generation, Tree, redo):
                return true;
            case RedoOperation.DropTree:
                return trees.Drop(generation, redo.Key);
            case RedoOperation.RenameTree:
                return trees.Rename(generation, redo.Key, redo.Value);
            case RedoOperation.Put when Tree >= 0:
                trees.Put(generation, Tree, redo.Key, redo.Value);
                return true;
            case RedoOperation.Delete when Tree >= 0:
                trees.Delete(generation, Tree, redo.Key);
                return true;
            case RedoOperation.DeleteRange when Tree >= 0:
                trees.DeleteRange(generation, Tree, redo.Key, redo.Value);
                return true;
            default:
                return TryMoveSavepoint(redo);
        }
    }

    private bool TryMoveSavepoint(in RedoReader redo)
    {
        SessionSavepoints savepoints = session.Savepoints;
        switch (redo.Operation)
        {
            case RedoOperation.Savepoint:
                savepoints.Create(session.Generation);
                return true;
            case RedoOperation.RollbackTo when redo.Depth < savepoints.Count:
                savepoints.RollbackToDepth(session.Generation, redo.Depth);
                Tree = -1;
                return true;
            case RedoOperation.Release when redo.Depth < savepoints.Count:
                savepoints.ReleaseDepth(session.Generation, redo.Depth);
                return true;
            default:
                return false;
        }
    }
}
