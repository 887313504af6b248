using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Begins and ends the pending trees of trees, gives them lower layers, moves what they have to the leaves, and removes from them what the
/// leaves have anyhow.
/// </summary>
/// <param name="pages">The pages of the transaction.</param>
/// <param name="below">Changes the trees below.</param>
/// <param name="above">Changes the layers of pending trees.</param>
/// <param name="mostKeys">About how many keys the top of a pending tree has at most.</param>
internal sealed class PendingWriter(PageWriter pages, TreeWriter below, TreeWriter above, int mostKeys)
{
    private readonly LeafMerge _merge = new(pages, below, above);
    private LayerCopy? _copy;

    /// <summary>Made with the first lower layer: few environments ever have one.</summary>
    private LayerCopy Copy => _copy ??= new LayerCopy(pages, above);

    /// <summary>Returns the pending tree of a tree; null if it has none.</summary>
    internal PendingLayers? Of(PageNumber root) => pages.Source.Pending.Of(root, pages.TransactionId);

    /// <summary>Gives a tree an empty pending tree.</summary>
    internal void Begin(PageNumber root, TreeKind kind)
    {
        bool isOptimized = kind == TreeKind.WriteOptimized;
        Add(root, new PendingLayers(above.CreateRoot(inMemory: true), NewKeys(), [], CountsLeaves: isOptimized, IsBlind: isOptimized));
    }

    /// <summary>
    /// The leaves of a tree get a value with pages that its record in the journal names. A put over it must free them at once, as a replay
    /// of that record and of the put will, because a replay merges at another time: so puts look their keys up from now on. A pending tree
    /// that begins later may be blind again: in a replay none begins.
    /// </summary>
    internal void EndBlind(PageNumber root)
    {
        if (Of(root) is { IsBlind: true } pending)
        {
            pages.Source.Pending.Change(root, pending with { IsBlind = false }, pages.TransactionId);
        }
    }

    /// <summary>
    /// Ends the pending tree of a tree: its entries go to the leaves. Returns by how much that changes the number of entries that is
    /// recorded for the tree.
    /// </summary>
    internal int End(PageNumber root)
    {
        if (Of(root) is not { } pending)
        {
            return 0;
        }

        int added = MergeRange(root, pending, default, default);
        Drop(root, pending);
        return added;
    }

    /// <summary>Ends the pending tree of a tree, whose entries are lost.</summary>
    internal void Drop(PageNumber root, PendingLayers pending)
    {
        for (int i = 0; i < pending.Count; i++)
        {
            above.DropTree(pending[i]);
        }

        pages.Source.Pending.End(root, pages.TransactionId);
    }

    /// <summary>As <see cref="LeafMerge.Some"/>; of a tree whose recorded number of entries it does not change, it adds none.</summary>
    internal MergeResult Merge(PageNumber root, ReadOnlySpan<byte> from, int entries, byte[] next)
    {
        if (Of(root) is not { } pending)
        {
            return default;
        }

        MergeResult result = _merge.Some(root, pending, from, entries, next);
        DropEmpty(root, pending);
        return pending.CountsLeaves ? result : result with { Added = 0 };
    }

    /// <summary>
    /// Moves all pending entries with from ≤ key &lt; to to the leaves; all from a key on if there is no end. Returns by how much that
    /// changes the number of entries that is recorded for the tree.
    /// </summary>
    internal int MergeRange(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        int added = _merge.All(root, pending, from, to);
        return pending.CountsLeaves ? added : 0;
    }

    /// <summary>
    /// Gives the pending tree of a tree a new top, and what the top has to a layer below it, which is in a file; a top of a single page
    /// stays as it is. Returns false, and nothing has changed, if there can be no file.
    /// </summary>
    /// <param name="root">The root of the tree.</param>
    /// <param name="mostBytes">Memory that the top uses at most.</param>
    /// <param name="isForced">For tests: also a top of a single page becomes a layer.</param>
    internal bool TryLower(PageNumber root, long mostBytes, bool isForced)
    {
        PendingLayers pending = Of(root)!;
        Node top = Node.Read(pages, pending.Top);
        if (top.IsLeaf && (!isForced || top.Count == 0))
        {
            return true;
        }

        if (!Copy.TryMake(pending.Top, mostBytes, out PendingLayer layer))
        {
            return false;
        }

        above.DropTree(pending.Top);
        PendingLayers changed = pending with
        {
            Top = above.CreateRoot(inMemory: true), Keys = NewKeys(), Lower = [layer, .. pending.Lower],
        };
        pages.Source.Pending.Change(root, changed, pages.TransactionId);
        return true;
    }

    /// <summary>A round of merges has ended: what was put before it began is not pending any more.</summary>
    internal void RenewKeys(PageNumber root)
    {
        if (Of(root) is { } pending)
        {
            PendingKeys keys = new(NewFilter(), pending.Keys.Now);
            pages.Source.Pending.Change(root, pending with { Keys = keys }, pages.TransactionId);
        }
    }

    /// <summary>In recovery: the leaves have what a transaction did with a key, so no earlier entry is pending.</summary>
    internal void Forget(PageNumber root, ReadOnlySpan<byte> key)
    {
        PendingLayers pending = Of(root)!;
        above.Delete(pending.Top, key);
        ForgetLower(pending, key);
    }

    /// <summary>The same for a range of keys.</summary>
    internal void Forget(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        PendingLayers pending = Of(root)!;
        for (int i = 0; i < pending.Count; i++)
        {
            above.DeleteRange(pending[i], from, to);
        }
    }

    /// <summary>The same for all keys.</summary>
    internal void ForgetAll(PageNumber root)
    {
        PendingLayers pending = Of(root)!;
        Drop(root, pending);
        Add(root, pending with { Top = above.CreateRoot(inMemory: true), Lower = [] });
    }

    /// <summary>Removes a key from all layers but the top.</summary>
    internal void ForgetLower(PendingLayers pending, ReadOnlySpan<byte> key)
    {
        ulong hash = KeyFilter.HashOf(key);
        foreach (PendingLayer layer in pending.Lower)
        {
            if (layer.MayHave(hash))
            {
                above.Delete(layer.Root, key);
            }
        }
    }

    private PendingKeys NewKeys() => new(NewFilter(), Before: null);

    private KeyFilter NewFilter() => pages.Source.Pending.Filters.ForKeys(mostKeys);

    private void Add(PageNumber root, PendingLayers pending) => pages.Source.Pending.Add(root, pending, pages.TransactionId);

    /// <summary>Drops the lower layers that are empty.</summary>
    private void DropEmpty(PageNumber root, PendingLayers pending)
    {
        bool isAny = false;
        foreach (PendingLayer layer in pending.Lower)
        {
            isAny |= IsEmpty(layer);
        }

        if (!isAny)
        {
            return;
        }

        PendingLayer[] left = Array.FindAll(pending.Lower, layer => !IsEmpty(layer));
        foreach (PendingLayer layer in pending.Lower.Except(left))
        {
            above.DropTree(layer.Root);
        }

        pages.Source.Pending.Change(root, pending with { Lower = left }, pages.TransactionId);
    }

    private bool IsEmpty(PendingLayer layer) => Node.Read(pages, layer.Root) is { IsLeaf: true, Count: 0 };
}
