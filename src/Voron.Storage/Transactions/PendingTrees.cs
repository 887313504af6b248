using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// Decides which trees get a pending tree, and merges pending entries into the leaves: each commit merges about as many as it has added, in
/// key order and round after round, so that no commit waits for more than its share.
/// </summary>
internal sealed class PendingTrees(PageWriter pages, LayeredTreeWriter trees, OpenTreeTable open, PendingLimits limits)
{
    /// <summary>Smaller trees do not fill the memory.</summary>
    private const long LeastEntries = 50_000;
    private const int LeastMerged = 64;

    /// <summary>For tests: one transaction in this many makes layers of whatever there is.</summary>
    private const int LowerOneIn = 4;

    /// <summary>Entries of layers that are merged at a time: what is merged is cut out of each of them.</summary>
    private const int MergedFromLayers = 1024;

    /// <summary>How many transactions go on without a lower layer for which the disk had no room, before it is asked again.</summary>
    private const int TransactionsAfterRefusal = 1000;

    private readonly Gate _sealing = new();
    private readonly byte[] _next = new byte[trees.MaxKeyBytes + 1];
    private readonly List<PendingTree> _added = [];
    private readonly MergeDebt _debt = new(limits.IsAlways ? 1 : LeastMerged);

    /// <summary>All pending trees of the last commit, and those that a checkpoint may still ask for; replaced as a whole.</summary>
    private PendingTree[] _all = [];
    private BlockedMerge? _blocked;

    /// <summary>Which tree's round it is.</summary>
    private int _turn;
    private TransactionId _nextLowering;

    /// <summary>Puts of the transaction since the last merge.</summary>
    private int _puts;
    private TransactionId _transaction;

    /// <summary>The commit chunk that was written when the transaction began; 0 in replay and before there is one.</summary>
    private long _chunk;
    private bool _isReading;

    /// <summary>Returns the commit chunk that is written now.</summary>
    internal Func<long>? CurrentChunk { get; set; }

    /// <summary>Decides when trees get pending trees.</summary>
    internal PendingStart Start { get; } = new(pages);

    /// <summary>Entries that were moved to leaves.</summary>
    internal long Merged { get; private set; }

    /// <summary>Memory that pending trees may use, in bytes.</summary>
    internal long LimitBytes => limits.Bytes;

    /// <summary>Bytes of memory that pending trees use, about.</summary>
    internal long UsedBytes => BytesOf(pages.InMemory.Count - pages.InMemory.LayerCount);

    /// <summary>Bytes of their lower layers, in files.</summary>
    internal long LayerBytes => BytesOf(pages.InMemory.LayerCount);

    /// <summary>Both together.</summary>
    internal long AllBytes => UsedBytes + LayerBytes;

    private long MostLayerBytes => pages.Source.Pending.IsAnyBlind ? limits.BlindLayerBytes : limits.LayerBytes;

    /// <summary>Whether all that is left is pending because it cannot be merged.</summary>
    internal bool AreLeftBlocked { get; private set; }

    internal bool IsAny => pages.InMemory.Count > 0;

    /// <summary>Begins a transaction.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="isReading">Whether it only brings back what is pending on disk: its leaves would be taken for the file's.</param>
    internal void Begin(TransactionId transaction, bool isReading = false)
    {
        _isReading = isReading;
        _puts = 0;
        _transaction = transaction;
        _chunk = CurrentChunk?.Invoke() ?? 0;
    }

    /// <summary>Begins a transaction of which nothing may stay pending, because the journal does not have it.</summary>
    internal void BeginWithoutChunk(TransactionId transaction)
    {
        Begin(transaction);
        _chunk = 0;
    }

    /// <summary>Whether a commit changes what a checkpoint asks for.</summary>
    internal bool HasTrees => Count > 0;

    /// <summary>
    /// Held while a transaction is sealed and then committed: its record may be written, and a checkpoint must not ask before the commit.
    /// </summary>
    internal Gate.Scope HoldToSeal() => _sealing.Hold();

    /// <summary>Counts puts that the transaction has made.</summary>
    internal void CountPuts(int puts) => _puts += puts;

    /// <summary>Begins pending trees if they were asked for, and merges what a transaction with its number of puts should.</summary>
    internal void Tend()
    {
        int puts = _puts;
        _puts = 0;
        Start.Decide(puts, _transaction);
        if (!Start.IsNow && !IsAny && !limits.IsAlways)
        {
            return;
        }

        if (limits.IsAlways && _transaction.Value % limits.EndOneIn == 0 && _chunk > 0)
        {
            EndAll();
        }
        else if ((Start.IsNow || limits.IsAlways) && _chunk > 0)
        {
            for (int i = 0; i < open.Count; i++)
            {
                BeginFor(i);
            }
        }

        LowerIfFull();
        if (!IsAny || _isReading || (UsedBytes <= limits.Bytes && LayerBytes <= MostLayerBytes && !IsOld))
        {
            _debt.Clear();
        }
        else if (TakeDebt(puts) is > 0 and var entries)
        {
            Merge(entries);
        }
    }

    /// <summary>Entries that wait in layers take no memory, so a merge of them need not wait for memory.</summary>
    private int TakeDebt(int puts) => LayerBytes > 0 && !limits.IsAlways
        ? _debt.Take(puts, MergedFromLayers, isMemoryFull: false)
        : _debt.Take(puts, 1, Start.IsMemoryFull?.Invoke() == true);

    /// <summary>When pending trees fill their memory, makes lower layers of what they have there. Nothing is merged by that.</summary>
    internal void LowerIfFull()
    {
        bool isForced = limits.IsAlways && _chunk > 0 && !_isReading && _transaction.Value % LowerOneIn == 0;
        if (limits.LayerBytes == 0 || (UsedBytes <= limits.Bytes && !isForced) || _transaction < _nextLowering)
        {
            return;
        }

        long bytes = UsedBytes;
        for (int i = 0; i < Count; i++)
        {
            // What cannot be merged would stay in each of the layers.
            bool isWanted = IsLiving(this[i]) && !this[i].IsBlocked;
            if (isWanted && !trees.Pending.TryLower(this[i].Root, bytes, isForced))
            {
                _nextLowering = new TransactionId(_transaction.Value + TransactionsAfterRefusal);
            }
        }
    }

    /// <summary>Merges about this many pending entries of the tree whose turn it is; false if none is left that can be merged.</summary>
    internal bool Merge(int entries)
    {
        for (int i = 0; i < Count; i++)
        {
            PendingTree tree = this[_turn % Count];
            bool isLiving = IsLiving(tree);
            bool hasMerged = isLiving && Merge(tree, entries);
            if (!isLiving || tree.Next.Length == 0)
            {
                _turn++;
            }

            if (hasMerged)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Merges pending entries of a tree; false if it had none and no round is under way.</summary>
    private bool Merge(PendingTree tree, int entries)
    {
        byte[] from = tree.Next;
        MergeResult result = trees.Pending.Merge(tree.Root, from, entries, _next);
        if (result.Damage is not null && !tree.IsBlocked)
        {
            tree.IsBlocked = true;
            _blocked = new BlockedMerge(tree.Name, result.Damage);
        }

        Merged += result.Moved;
        tree.MergedTo(_next[..result.NextBytes], result.Moved, _transaction, _chunk);
        if (result.NextBytes == 0 && result.Moved > 0 && !tree.IsBlocked)
        {
            trees.Pending.RenewKeys(tree.Root);
        }

        if (tree.IsSinceNew || result.Added != 0)
        {
            Open(tree).Grew(result.Added);
        }

        return result.Moved > 0 || tree.Next.Length > 0;
    }

    /// <summary>Returns since when a tree has pending entries; none if it has no pending tree.</summary>
    internal TransactionId SinceOf(PageNumber root) => Find(root)?.Since ?? TransactionId.None;

    /// <summary>Whether the catalog does not say yet what <see cref="SinceOf"/> returns.</summary>
    internal bool IsSinceNew(PageNumber root)
    {
        for (int i = 0; i < Count; i++)
        {
            PendingTree tree = this[i];
            if (tree.Root == root && !tree.HasEnded && (tree.IsSinceNew || !IsLiving(tree)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Merges about this many pending entries; if there are none, ends the pending trees and returns false.</summary>
    internal bool MergeOrEnd(int entries)
    {
        bool hasMerged = Merge(entries);
        if (!hasMerged)
        {
            EndAll();
            AreLeftBlocked = IsAny;
        }

        return hasMerged;
    }

    /// <summary>Whether entries of this transaction or earlier ones may be pending that can be merged.</summary>
    internal bool HasUpTo(TransactionId last) =>
        _all.Concat(_added).Any(tree => tree.Since <= last && !tree.IsBlocked && IsLiving(tree));

    /// <summary>Ends all pending trees; those that have entries have them merged.</summary>
    internal void EndAll()
    {
        for (int i = 0; i < Count; i++)
        {
            if (IsLiving(this[i]) && !this[i].IsBlocked)
            {
                Open(this[i]).Grew(trees.Pending.End(this[i].Root));
            }
        }
    }

    /// <summary>Merges all pending entries of a tree that will be known by another name; returns by how much it grows.</summary>
    internal int End(PageNumber root) => trees.Pending.End(root);

    /// <summary>Gives a tree a pending tree as it had one before a crash.</summary>
    internal void Restore(byte[] name, in TreeRecord record, long chunk)
    {
        trees.Pending.Begin(record.RootPage, record.Kind);
        Add(new PendingTree(name, record.RootPage, _transaction, record.PendingSince, chunk, isRecorded: true));
    }

    /// <summary>Returns, once, what was met that cannot be merged.</summary>
    internal BlockedMerge? TakeBlocked() => Interlocked.Exchange(ref _blocked, null);

    internal void Commit()
    {
        bool areFewer = false;
        for (int i = 0; i < Count; i++)
        {
            PendingTree tree = this[i];
            areFewer |= tree.IsOver;
            if (IsLiving(tree))
            {
                tree.Commit(_transaction);
            }
            else if (!tree.HasEnded)
            {
                tree.End(_transaction);
            }
        }

        if (areFewer || _added.Count > 0)
        {
            Volatile.Write(ref _all, [.. _all.Where(static tree => !tree.IsOver), .. _added]);
            _added.Clear();
        }
    }

    internal void Rollback()
    {
        foreach (PendingTree tree in _all)
        {
            tree.Rollback();
        }

        _added.Clear();
    }

    /// <summary>
    /// Returns the first commit chunk that a recovery of a snapshot needs for its pending entries; 0 if it needs none. For checkpoints,
    /// whose snapshots ascend.
    /// </summary>
    /// <param name="snapshot">The snapshot.</param>
    /// <param name="firstLeft">
    /// The first chunk that the last checkpoint needs; none before it is there any more. A tree knows the chunk that was written when its
    /// first transaction began, whose record may be in a later one.
    /// </param>
    internal long ChunkAt(TransactionId snapshot, long firstLeft)
    {
        long first = long.MaxValue;
        using (_sealing.Hold())
        {
            foreach (PendingTree tree in _all)
            {
                first = Math.Min(first, tree.ChunkAt(snapshot));
            }
        }

        return first == long.MaxValue ? 0 : Math.Max(first, firstLeft);
    }

    /// <summary>Whether entries are pending since so long ago that a recovery would have much to read.</summary>
    private bool IsOld
    {
        get
        {
            for (int i = 0; i < Count; i++)
            {
                if (_chunk - this[i].FirstChunk > limits.Chunks && IsLiving(this[i]))
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Returns what pages use with the slots of their nodes, about.</summary>
    private long BytesOf(long count) => count * (pages.PageBytes + (pages.PageBytes / 8));

    private int Count => _all.Length + _added.Count;

    private PendingTree this[int index] => index < _all.Length ? _all[index] : _added[index - _all.Length];

    private bool IsLiving(PendingTree tree) => pages.Source.Pending.IsLiving(tree.Root, tree.Began);

    /// <summary>Returns the pending tree of a tree; null if it has none.</summary>
    internal PendingTree? Find(PageNumber root)
    {
        int i = 0;
        while (i < Count && !(this[i].Root == root && IsLiving(this[i])))
        {
            i++;
        }

        return i < Count ? this[i] : null;
    }

    private void BeginFor(int index)
    {
        ref OpenTree tree = ref open[index];
        bool isFit = tree.Shape.IsOrdered && !tree.Dropped && tree.Version > 0;
        if (isFit && (limits.IsAlways || tree.Count >= LeastEntries) && Find(tree.Root) is null)
        {
            trees.Pending.Begin(tree.Root, tree.Shape.Kind);
            Add(new PendingTree(open.NameOf(index).ToArray(), tree.Root, _transaction, _transaction, _chunk, isRecorded: false));
        }
    }

    private void Add(PendingTree tree)
    {
        tree.EntriesPerSample = limits.IsAlways ? 1 : tree.EntriesPerSample;
        _added.Add(tree);
    }

    /// <summary>Opens a tree in the transaction, so that its catalog record will be written.</summary>
    private ref OpenTree Open(PendingTree tree)
    {
        int index = open.Find(tree.Name);
        if (index < 0)
        {
            Catalog.TryFind(pages.Source, pages.TransactionId, tree.Name, out TreeRecord record);
            index = open.Add(tree.Name, record);
        }

        return ref open[index];
    }
}
