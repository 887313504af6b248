using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// A write transaction's changes to trees: applies every change to the pages and writes it to the redo, in call order. Puts are written to
/// the redo at once but applied in batches, before anything else reads the trees. The caller checks the arguments; after an exception
/// trees may be half changed.
/// </summary>
internal sealed partial class TreeChanges
{
    private const int DisorderWorthOverlapping = 16;

    private readonly TransactionRedo _redo;
    private readonly OpenTreeTable _open;
    private readonly LayeredTreeWriter _trees;
    private readonly DeferredPuts _noted;
    private readonly PageWriter _pages;
    private ReservedEntry _reserved = new();

    internal TreeChanges(PageWriter pages, TransactionRedo redo, OpenTreeTable open, PendingLimits pending)
    {
        _pages = pages;
        _redo = redo;
        _open = open;
        _trees = new LayeredTreeWriter(pages, pending.MostKeys);
        _noted = new DeferredPuts(_trees);
        Pending = new PendingTrees(pages, _trees, open, pending);
        Catalog = new CatalogChanges(this, redo, open);
        Multi = new MultiChanges(this, pages, redo, open);
        Fixed = new FixedChanges(this, pages, redo, open);
        Moves = new PageMoves(pages, _trees, open);
    }

    internal PendingTrees Pending { get; }

    /// <summary>The changes of whole trees.</summary>
    internal CatalogChanges Catalog { get; }

    /// <summary>The changes of multi-value trees.</summary>
    internal MultiChanges Multi { get; }

    /// <summary>The changes of fixed-size trees.</summary>
    internal FixedChanges Fixed { get; }

    /// <summary>Moves pages; nothing of it is in the redo.</summary>
    internal PageMoves Moves { get; }

    internal LayeredTreeWriter Trees => _trees;

    /// <summary>Number of puts in the redo that are not applied yet.</summary>
    internal int NotedPuts => _noted.Count + (_reserved.IsAny ? 1 : 0);

    /// <summary>Whether applying the deferred puts takes long enough to pay for the cost of overlapping it with the write.</summary>
    internal bool AreWorthOverlapping => _noted.Inversions >= DisorderWorthOverlapping && !HasPlaced;

    /// <summary>The value reserved last, for the caller to write.</summary>
    internal Span<byte> ReservedValue => _reserved.Value;

    /// <summary>Inserts or replaces an entry; the put is deferred.</summary>
    internal void Put(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (IsPlaced(value.Length))
        {
            PutPlaced(index, key, value);
            return;
        }

        PutReserved();
        ref OpenTree tree = ref _open[index];
        tree.Version++;
        Note(index, tree.Root, key.Length, value.Length, _redo.Put(index, key, value));
        if (_noted.IsFull)
        {
            ApplyDeferred();
        }

        SendFragmentIfLong();
    }

    /// <summary>Inserts an entry; returns false and changes nothing if the key exists.</summary>
    internal bool TryAdd(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];
        if (IsPlaced(value.Length))
        {
            return !TreeReader.Contains(_pages.Source, _pages.TransactionId, tree.Root, key) && PutPlaced(index, key, value);
        }

        if (_trees.FindPlace(tree.Root, key))
        {
            return false;
        }

        // Write the redo first and insert from it: the caller's key and value may be in pages of this very tree.
        int at = _redo.Put(index, key, value);
        ReadOnlySpan<byte> noted = _redo.Notes.Slice(at, key.Length + value.Length);
        bool grew = _trees.InsertFound(tree.Root, noted[..key.Length], noted[key.Length..]);

        tree.Version++;
        tree.Grew(grew ? 1 : 0);
        SendFragmentIfLong();
        return true;
    }

    /// <summary>Deletes an entry; returns false and changes nothing if the key does not exist.</summary>
    internal bool Delete(int index, ReadOnlySpan<byte> key)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];
        if (!_trees.FindPlace(tree.Root, key))
        {
            return false;
        }

        // Write the redo before the change: the key may be in a page that is freed.
        _redo.Delete(index, key);
        bool shrinks = _trees.DeleteFound(key);

        tree.Version++;
        tree.Grew(shrinks ? -1 : 0);
        SendFragmentIfLong();
        return true;
    }

    /// <summary>Inserts after the last entry; returns false and changes nothing if the key is not above it.</summary>
    internal bool TryAppend(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ref OpenTree tree = ref _open[index];
        if (!IsAboveAll(tree.Root, key))
        {
            return false;
        }

        if (IsPlaced(value.Length))
        {
            return PutPlaced(index, key, value);
        }

        tree.Version++;
        Note(index, tree.Root, key.Length, value.Length, _redo.Put(index, key, value), isAppend: true);
        if (_noted.IsFull)
        {
            ApplyDeferred();
        }

        SendFragmentIfLong();
        return true;
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to, as one redo operation. Returns the number of entries deleted.</summary>
    internal long DeleteRange(int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];

        // Write the redo before the change: the bounds may be in pages that are freed.
        if (!_trees.HasAny(tree.Root, from, to))
        {
            return 0;
        }

        _redo.DeleteRange(index, from, to);
        long removed = _trees.DeleteRange(tree.Root, from, to, out long grew);
        tree.Version++;
        tree.Grew(grew);
        SendFragmentIfLong();
        return removed;
    }

    /// <summary>Begins a put of a zero-filled value, which the caller fills in before its next call.</summary>
    internal void Reserve(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        PutReserved();
        SendFragmentIfLong();
        if (_noted.Count >= DeferredPuts.Capacity - 1)
        {
            ApplyDeferred();
        }

        _reserved.Begin(index, key, valueBytes);
        _open[index].Version++;
    }

    /// <summary>The same for an entry of a fixed-size tree.</summary>
    internal void ReserveFixed(int index, ReadOnlySpan<byte> key)
    {
        PutReserved();
        SendFragmentIfLong();
        _reserved.Begin(index, key, _open[index].Shape.ValueBytes);
        _open[index].Version++;
    }

    /// <summary>Verifies the pages that the deferred puts will read; after an exception no page has changed.</summary>
    internal void VerifyNotedPuts()
    {
        PutReserved();
        _noted.Verify(_redo.Notes);
    }

    /// <summary>Applies the deferred puts.</summary>
    internal void ApplyDeferred()
    {
        if (NotedPuts == 0)
        {
            return;
        }

        PutReserved();
        if (_noted.Inversions >= DisorderWorthOverlapping)
        {
            _noted.FindLeaves(_redo.Notes);
        }

        Pending.CountPuts(_noted.Count);
        foreach (ref readonly DeferredPut put in _noted.Make(_redo.Notes))
        {
            if (put.Added)
            {
                _open[put.Tree].Grew(1);
            }
        }
    }

    /// <summary>
    /// In replay: merges pending entries as the commit of each transaction did. Without any, deferred puts of many transactions are applied
    /// together.
    /// </summary>
    internal void TendPending()
    {
        if (Pending.IsAny)
        {
            ApplyDeferred();
            Pending.Tend();
        }
    }

    /// <summary>Applies the deferred puts and updates the catalog, so that the trees match the commit record.</summary>
    internal void Finish()
    {
        ApplyDeferred();
        Pending.Tend();
        for (int i = 0; i < _open.Count; i++)
        {
            ref OpenTree tree = ref _open[i];
            if ((tree.CountChanged || Pending.IsSinceNew(tree.Root)) && !tree.Dropped)
            {
                Catalog.Write(_open.NameOf(i), tree, Pending.Find(tree.Root));
                tree.CountChanged = false;
            }
        }

        _pages.Placed?.MakeDurable();
    }

    internal void Forget()
    {
        _noted.Clear();
        _trees.Forget();
        _reserved.Forget();
        Fixed.Forget();
    }

    /// <summary>Puts the reserved entry with the value that the caller has written, if there is one.</summary>
    internal void PutReserved()
    {
        if (!_reserved.IsAny)
        {
            return;
        }

        int index = _reserved.Tree;
        ReadOnlySpan<byte> key = _reserved.Key;
        ReadOnlySpan<byte> value = _reserved.Value;
        if (_open[index].Shape.Kind == TreeKind.Fixed)
        {
            _reserved.Forget();
            Fixed.Put(index, key, value);
        }
        else if (IsPlaced(value.Length))
        {
            _reserved.Forget();
            PutPlaced(index, key, value);
        }
        else
        {
            Note(index, _open[index].Root, key.Length, value.Length, _redo.Put(index, key, value));
            _reserved.Forget();
        }

        _reserved.Trim();
    }

    private void Note(int index, PageNumber root, int keyBytes, int valueBytes, int keyOffset, bool isAppend = false) => _noted.Add(
        new DeferredPut
        {
            Root = root, Tree = index, KeyLength = keyBytes, ValueLength = valueBytes, KeyOffset = keyOffset, IsAppend = isAppend,
        },
        _redo.Notes);

    /// <summary>Whether a key is above all keys of a tree; applies the deferred puts unless the last of them decides it.</summary>
    private bool IsAboveAll(PageNumber root, ReadOnlySpan<byte> key)
    {
        if (!_reserved.IsAny && _noted.EndsWithAppend(root, _redo.Notes, out ReadOnlySpan<byte> last))
        {
            return key.SequenceCompareTo(last) > 0;
        }

        ApplyDeferred();
        return _trees.IsAboveAll(root, key);
    }

    internal void SendFragmentIfLong()
    {
        if (_redo.IsLong)
        {
            ApplyDeferred();
        }

        // A reserved entry that was applied may have sent it.
        if (_redo.IsLong)
        {
            _redo.SendFragment();
        }
    }
}
