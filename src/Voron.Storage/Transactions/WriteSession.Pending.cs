namespace Voron.Storage.Transactions;

/// <content>Pending entries, apart from the changes of a caller.</content>
internal sealed partial class WriteSession
{
    internal PendingTrees Pending => _changes.Pending;

    internal PageMoves Moves => _changes.Moves;

    /// <summary>In recovery: brings pending entries back, for each operation of the journal what it means for them.</summary>
    internal PendingRecovery BringBack() => new(_changes, _open, _pages.PageBytes);

    /// <summary>
    /// Moves pending entries in a transaction of its own, whose record is empty. Once none is left, ends the pending trees and returns
    /// false. Requires the writer lock, and leaves it.
    /// </summary>
    internal bool MergePending(int entries)
    {
        WriteHandle lease = Begin();
        bool merged;
        try
        {
            merged = Pending.MergeOrEnd(entries);
            _redo.SealsEmpty = true;
            Seal(lease, Generation, CommitMode.Lazy);
        }
        catch
        {
            Rollback(lease, Generation);
            throw;
        }

        _pipeline.Complete(default, CommitMode.Lazy);
        return merged;
    }
}
