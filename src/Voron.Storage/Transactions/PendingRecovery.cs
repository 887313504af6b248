using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>
/// Brings the pending entries of a checkpoint's snapshot back from the journal, whose records up to that snapshot are applied to the
/// pending trees alone. The leaves have a part of it, and what they have is not older: so it does no harm to apply what they have once
/// more, and at the end the last operation of each key decides. Counts are those of the snapshot.
/// </summary>
internal sealed class PendingRecovery
{
    private readonly TreeChanges _changes;
    private readonly OpenTreeTable _open;
    private readonly LayeredTreeWriter _trees;

    private readonly PendingBatch _batch;
    private readonly Dictionary<PageNumber, List<PendingStep>> _steps = [];
    private readonly int _maxValueBytes;

    /// <param name="changes">The changes of the transaction that all of this belongs to.</param>
    /// <param name="open">The trees that are open in it.</param>
    /// <param name="pageBytes">The page size.</param>
    internal PendingRecovery(TreeChanges changes, OpenTreeTable open, int pageBytes)
    {
        _changes = changes;
        _open = open;
        _trees = changes.Trees;
        _maxValueBytes = PendingEntry.MaxValueBytes(pageBytes);
        _batch = new PendingBatch(_trees, _trees.MaxKeyBytes + PendingEntry.HeadBytes + _maxValueBytes, changes.Pending.LimitBytes);
    }

    /// <summary>Begins the pending trees that the snapshot has. Returns the first transaction of which entries may be pending.</summary>
    internal TransactionId Begin(PageSource source, TransactionId snapshot, long chunk)
    {
        TransactionId first = TransactionId.AfterAll;
        foreach ((byte[] name, TreeRecord record, List<PendingStep> steps) in Catalog.FindPending(source, snapshot))
        {
            _open.Add(name, record);
            _steps[record.RootPage] = steps;
            _changes.Pending.Restore(name, record, chunk);
            first = TransactionId.Min(first, record.PendingSince);
        }

        return first;
    }

    /// <summary>
    /// Returns the root of the tree of this name if a transaction's changes of it may be pending; the default otherwise, as for a tree that
    /// was dropped since, or created later.
    /// </summary>
    internal PageNumber Find(ReadOnlySpan<byte> name, TransactionId transaction)
    {
        int index = _open.Find(name);
        return index >= 0 && _changes.Pending.SinceOf(_open[index].Root) is { Value: > 0 } since && since <= transaction
            ? _open[index].Root
            : default;
    }

    /// <summary>
    /// A tree gets this name: what the transaction did to another tree of the name before is not of this one, and of its own entries none
    /// is pending yet.
    /// </summary>
    internal void Begin(ReadOnlySpan<byte> name, TransactionId transaction)
    {
        if (Find(name, transaction) is { Value: > 0 } root)
        {
            Apply();
            _trees.Pending.ForgetAll(root);
        }
    }

    internal void Put(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, TransactionId transaction)
    {
        if (value.Length > _maxValueBytes)
        {
            PutBelow(root, key);
            return;
        }

        _trees.CheckKey(key);
        if (transaction >= SinceOf(root, key))
        {
            _batch.Put(TopOf(root, key), key, value);
        }
    }

    internal void Delete(PageNumber root, ReadOnlySpan<byte> key, TransactionId transaction)
    {
        _trees.CheckKey(key);
        if (transaction >= SinceOf(root, key))
        {
            _batch.Delete(TopOf(root, key), key);
        }
    }

    /// <summary>A value that went directly to the leaves: no earlier entry of its key is pending.</summary>
    internal void PutBelow(PageNumber root, ReadOnlySpan<byte> key)
    {
        Apply();
        _trees.Pending.Forget(root, key);
    }

    /// <summary>A range of which nothing is pending, because the leaves had it before it was deleted there.</summary>
    internal void DeleteRange(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        Apply();
        _trees.Pending.Forget(root, from, to);
    }

    /// <summary>Returns where the next entry of a tree goes: what was gathered before may have filled the top that it had.</summary>
    private PageNumber TopOf(PageNumber root, ReadOnlySpan<byte> key)
    {
        if (_batch.IsFull)
        {
            Apply();
        }

        PendingLayers pending = _trees.Pending.Of(root)!;
        pending.Keys.Now.Add(KeyFilter.HashOf(key));
        return pending.Top;
    }

    /// <summary>Returns the first transaction of which an entry of this key may be pending: the leaves have the older ones.</summary>
    private TransactionId SinceOf(PageNumber root, ReadOnlySpan<byte> key)
    {
        List<PendingStep> steps = _steps[root];
        int low = 0;
        int high = steps.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = key.SequenceCompareTo(steps[middle].From) >= 0 ? (middle + 1, high) : (low, middle);
        }

        return low == 0 ? TransactionId.None : steps[low - 1].Since;
    }

    /// <inheritdoc cref="PendingBatch.Apply"/>
    internal void Apply()
    {
        _batch.Apply();
        _changes.Pending.LowerIfFull();
    }
}
