using System.Runtime.CompilerServices;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Which trees have a pending tree, and for which snapshots: a tree in memory whose entries override those of the tree. Readers use the
/// table without a lock; it changes under the writer lock, and then is replaced as a whole.
/// </summary>
internal sealed class PendingRoots
{
    private PendingRoot[] _all = [];

    /// <summary>All pending trees, to be restored when changes are undone. The array never changes.</summary>
    internal PendingRoot[] All
    {
        get => Volatile.Read(ref _all);
        set => Volatile.Write(ref _all, value);
    }

    /// <summary>Makes the filters of pending trees.</summary>
    internal FilterPool Filters { get; } = new();

    /// <summary>Returns the pending tree that a snapshot sees above a tree; null if it sees none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PendingLayers? Of(PageNumber root, TransactionId snapshot)
    {
        PendingRoot[] all = Volatile.Read(ref _all);
        return all.Length == 0 ? null : Find(all, root, snapshot);
    }

    /// <summary>Whether puts into some tree look no key up.</summary>
    internal bool IsAnyBlind => Array.Exists(All, static one => one.Layers.IsBlind && one.DroppedBy == TransactionId.AfterAll);

    /// <summary>Whether the pending tree that a transaction has given to a tree is in use.</summary>
    internal bool IsLiving(PageNumber root, TransactionId began)
    {
        foreach (PendingRoot one in All)
        {
            if (one.IsLast(root) && one.Began == began)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Adds the pending tree that a transaction has created.</summary>
    internal void Add(PageNumber root, PendingLayers layers, TransactionId createdBy) => Volatile.Write(
        ref _all, [.. _all, new PendingRoot(root, layers, createdBy, createdBy, TransactionId.AfterAll)]);

    /// <summary>Gives the pending tree of a tree other layers, from this transaction on.</summary>
    internal void Change(PageNumber root, PendingLayers layers, TransactionId changedBy)
    {
        PendingRoot now = Array.Find(_all, one => one.IsLast(root));
        End(root, changedBy);
        Volatile.Write(ref _all, [.. _all, now with { Layers = layers, CreatedBy = changedBy }]);
    }

    /// <summary>Ends the pending tree of a tree with the transaction that dropped it: later snapshots see none.</summary>
    internal void End(PageNumber root, TransactionId droppedBy) => Volatile.Write(
        ref _all, [.. _all.Select(one => one.IsLast(root) ? one with { DroppedBy = droppedBy } : one)]);

    /// <summary>Removes the pending trees that no snapshot sees. Requires the writer lock.</summary>
    /// <param name="newest">No reader begins with an older snapshot.</param>
    /// <param name="live">The snapshots of readers.</param>
    internal void Prune(TransactionId newest, ReadOnlySpan<TransactionId> live)
    {
        PendingRoot[] all = _all;
        if (Array.FindIndex(all, static one => one.DroppedBy != TransactionId.AfterAll) < 0)
        {
            return;
        }

        TransactionId oldest = newest;
        foreach (TransactionId snapshot in live)
        {
            oldest = TransactionId.Min(oldest, snapshot);
        }

        RemoveDroppedBy(oldest);
    }

    private void RemoveDroppedBy(TransactionId oldest)
    {
        PendingRoot[] removed = Array.FindAll(_all, one => one.DroppedBy <= oldest);
        All = Array.FindAll(_all, one => one.DroppedBy > oldest);
        Filters.Collect(removed, _all);
    }

    private static PendingLayers? Find(PendingRoot[] all, PageNumber root, TransactionId snapshot)
    {
        foreach (ref readonly PendingRoot one in all.AsSpan())
        {
            if (one.Root == root && one.CreatedBy <= snapshot && snapshot < one.DroppedBy)
            {
                return one.Layers;
            }
        }

        return null;
    }
}
