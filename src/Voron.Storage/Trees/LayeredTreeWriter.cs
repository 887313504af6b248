using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>
/// Changes trees of which some have a pending tree above them. There, puts and deletions go to the pending tree, and later, many of them
/// together, to the leaves below. The entries of a tree are those below, overridden by the pending ones. Values that are too long for the
/// pending tree, appends and whole ranges go directly to the leaves.
/// <para>So does what replaces or deletes a value with pages of its own: recovery repeats operations but not merges, so a merge must not
/// free pages that a record in the journal names.</para>
/// </summary>
internal sealed class LayeredTreeWriter
{
    private readonly PageWriter _pages;
    private readonly TreeWriter _below;
    private readonly TreeWriter _above;
    private readonly LeafMerge _merge;
    private readonly byte[] _entry;
    private readonly byte[] _path;

    /// <summary>The pending tree in which <see cref="FindPlace"/> has searched, and whether it has the key; the default for none.</summary>
    private PageNumber _foundPending;
    private bool _isFoundAbove;

    internal LayeredTreeWriter(PageWriter pages)
    {
        _pages = pages;
        _below = new TreeWriter(pages);
        _above = new TreeWriter(pages);
        _merge = new LeafMerge(pages, _below, _above);
        _entry = new byte[PendingEntry.HeadBytes + PendingEntry.MaxValueBytes(pages.PageBytes)];
        _path = new byte[TreeCursor.BufferBytes(pages.PageBytes)];
    }

    /// <inheritdoc cref="TreeWriter.MaxKeyBytes"/>
    internal int MaxKeyBytes => _below.MaxKeyBytes;

    /// <inheritdoc cref="TreeWriter.CreateRoot"/>
    internal PageNumber CreateRoot() => _below.CreateRoot();

    /// <summary>Returns the root of the pending tree of a tree; the default if it has none.</summary>
    internal PageNumber PendingOf(PageNumber root) => _pages.Source.Pending.Of(root, _pages.TransactionId);

    /// <summary>Gives a tree an empty pending tree.</summary>
    internal void BeginPending(PageNumber root) =>
        _pages.Source.Pending.Add(root, _above.CreateRoot(inMemory: true), _pages.TransactionId);

    /// <summary>Ends the pending tree of a tree: its entries go to the leaves.</summary>
    internal void EndPending(PageNumber root)
    {
        if (PendingOf(root) is { Value: > 0 } pending)
        {
            _merge.All(root, pending, default, default);
            DropPending(root, pending);
        }
    }

    /// <inheritdoc cref="LeafMerge.Some"/>
    internal MergeResult Merge(PageNumber root, ReadOnlySpan<byte> from, int entries, byte[] next) =>
        PendingOf(root) is { Value: > 0 } pending ? _merge.Some(root, pending, from, entries, next) : default;

    /// <summary>In recovery: the leaves have what a transaction did with a key, so no earlier entry is pending.</summary>
    internal void ForgetPending(PageNumber root, ReadOnlySpan<byte> key) => _above.Delete(PendingOf(root), key);

    /// <summary>The same for a range of keys.</summary>
    internal void ForgetPending(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) =>
        _above.DeleteRange(PendingOf(root), from, to);

    /// <summary>The same for all keys.</summary>
    internal void ForgetAllPending(PageNumber root)
    {
        DropPending(root, PendingOf(root));
        BeginPending(root);
    }

    /// <summary>Frees all pages of a tree, including its root, its overflow runs and its pending tree.</summary>
    internal void DropTree(PageNumber root)
    {
        if (PendingOf(root) is { Value: > 0 } pending)
        {
            DropPending(root, pending);
        }

        _below.DropTree(root);
    }

    /// <inheritdoc cref="TreeWriter.DeleteRange"/>
    internal long DeleteRange(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        if (PendingOf(root) is not { Value: > 0 } pending || from.SequenceCompareTo(to) >= 0)
        {
            return _below.DeleteRange(root, from, to);
        }

        // The merge may change what the caller's keys lie in.
        byte[] first = from.ToArray();
        byte[] end = to.ToArray();
        _merge.All(root, pending, first, end);
        return _below.DeleteRange(root, first, end);
    }

    /// <summary>Returns whether the tree has an entry with from ≤ key &lt; to.</summary>
    internal bool HasAny(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        RowCursor cursor = new(_pages.Source, _pages.TransactionId, root, _path, remembersKey: false);
        bool hasAny = cursor.Seek(from) && cursor.Key.SequenceCompareTo(to) < 0;
        cursor.Dispose();
        return hasAny;
    }

    /// <inheritdoc cref="TreeWriter.Put"/>
    internal bool Put(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (PendingOf(root) == default)
        {
            return _below.Put(root, key, value);
        }

        _below.CheckKey(key);
        bool exists = FindPlace(root, key);
        PutFound(root, key, value);
        return !exists;
    }

    /// <inheritdoc cref="TreeWriter.PutRuns"/>
    internal bool PutRuns(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        if (PendingOf(root) == default)
        {
            return _below.PutRuns(root, key, runs);
        }

        // What follows may change what the caller's key lies in.
        _below.CheckKey(key);
        byte[] copy = key.ToArray();
        bool existed = FindPlace(root, copy);
        if (_foundPending != default && _isFoundAbove)
        {
            _above.DeleteFound(copy);
        }

        _below.PutRuns(root, copy, runs);
        return !existed;
    }

    /// <inheritdoc cref="TreeWriter.FindPlace"/>
    internal bool FindPlace(PageNumber root, ReadOnlySpan<byte> key)
    {
        _foundPending = PendingOf(root);
        if (_foundPending == default)
        {
            return _below.FindPlace(root, key);
        }

        _isFoundAbove = _above.FindPlace(_foundPending, key);
        if (_isFoundAbove)
        {
            return !PendingEntry.IsDeleted(_above.FoundValue);
        }

        bool exists = _below.FindPlace(root, key);
        if (exists && _below.IsFoundLong)
        {
            _foundPending = default;
        }

        return exists;
    }

    /// <inheritdoc cref="TreeWriter.InsertFound"/>
    internal void InsertFound(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (_foundPending == default)
        {
            _below.InsertFound(root, key, value);
        }
        else
        {
            PutFound(root, key, value);
        }
    }

    /// <inheritdoc cref="TreeWriter.Delete"/>
    internal bool Delete(PageNumber root, ReadOnlySpan<byte> key)
    {
        bool exists = FindPlace(root, key);
        if (exists)
        {
            DeleteFound(key);
        }

        return exists;
    }

    /// <inheritdoc cref="TreeWriter.DeleteFound"/>
    internal void DeleteFound(ReadOnlySpan<byte> key)
    {
        if (_foundPending == default)
        {
            _below.DeleteFound(key);
        }
        else
        {
            PutFoundAbove(key, PendingEntry.Deletion);
        }
    }

    /// <inheritdoc cref="TreeWriter.Forget"/>
    internal void Forget()
    {
        _below.Forget();
        _above.Forget();
    }

    /// <inheritdoc cref="TreeWriter.CheckKey"/>
    internal void CheckKey(ReadOnlySpan<byte> key) => _below.CheckKey(key);

    /// <inheritdoc cref="TreeWriter.IsAboveAll"/>
    internal bool IsAboveAll(PageNumber root, ReadOnlySpan<byte> key) => PendingOf(root) is { Value: > 0 } pending
        ? IsAboveAllNodes(root, pending, key) || IsAboveAllRows(root, key)
        : _below.IsAboveAll(root, key);

    /// <inheritdoc cref="TreeWriter.AppendRun"/>
    internal void AppendRun(PageNumber root, ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        if (PendingOf(root) is not { Value: > 0 } pending || IsAboveAllNodes(root, pending, puts[0].Key(notes)))
        {
            _below.AppendRun(root, puts, notes);
            return;
        }

        foreach (ref readonly DeferredPut put in puts)
        {
            Put(root, put.Key(notes), put.Value(notes));
        }
    }

    /// <inheritdoc cref="TreeWriter.BeginNotes"/>
    internal void BeginNotes()
    {
        _below.BeginNotes();
        _above.BeginNotes();
    }

    /// <summary>Finds the leaves of puts into one tree, and those of its pending tree: see <see cref="TreeWriter.FindLeaves"/>.</summary>
    internal void FindLeaves(Span<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        PageNumber root = puts[0].Root;
        if (PendingOf(root) is { Value: > 0 } pending)
        {
            _above.FindLeaves(puts, notes, pending, _above.LeafLevel(pending, puts[0].Key(notes)));
            foreach (ref DeferredPut put in puts)
            {
                put.PendingLeaf = put.Leaf;
            }
        }

        _below.FindLeaves(puts, notes, root, _below.LeafLevel(root, puts[0].Key(notes)));
    }

    /// <inheritdoc cref="LeafPrefetch.Fetch"/>
    internal void Fetch(in DeferredPut put, int step)
    {
        if (put.PendingLeaf == default)
        {
            LeafPrefetch.Fetch(_pages, put.Leaf, step);
            return;
        }

        LeafPrefetch.Fetch(_pages, put.PendingLeaf, step);

        // The leaf below is only searched.
        if (step < LeafPrefetch.Steps - 1)
        {
            LeafPrefetch.Fetch(_pages, put.Leaf, step);
        }
    }

    /// <summary>
    /// Applies a put to the leaf that was found for it or, if keys have since left that leaf or it has no room, from the root.
    /// </summary>
    internal bool PutAt(in DeferredPut put, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        bool isDone = put.PendingLeaf == default
            ? _below.TryPutAt(put.Leaf, key, value, out bool added)
            : TryPutAbove(put, key, value, out added);
        return isDone ? added : Put(put.Root, key, value);
    }

    private bool TryPutAbove(in DeferredPut put, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out bool added)
    {
        added = false;
        if (value.Length > PendingEntry.MaxValueBytes(_pages.PageBytes)
            || !_above.TryFindAt(put.PendingLeaf, key, out bool isAbove, out ReadOnlySpan<byte> stored, out _))
        {
            return false;
        }

        bool existed = isAbove && !PendingEntry.IsDeleted(stored);
        if (!isAbove && (!_below.TryFindAt(put.Leaf, key, out existed, out _, out bool isLong) || isLong))
        {
            return false;
        }

        added = !existed;
        return _above.TryPutAt(put.PendingLeaf, key, EntryOf(value), out _);
    }

    private void PutFound(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (_foundPending != default && value.Length <= PendingEntry.MaxValueBytes(_pages.PageBytes))
        {
            PutFoundAbove(key, EntryOf(value));
            return;
        }

        if (_foundPending != default && _isFoundAbove)
        {
            _above.DeleteFound(key);
        }

        _below.Put(root, key, value);
    }

    private void PutFoundAbove(ReadOnlySpan<byte> key, ReadOnlySpan<byte> entry)
    {
        if (_isFoundAbove)
        {
            _above.Put(_foundPending, key, entry);
        }
        else
        {
            _above.InsertFound(_foundPending, key, entry);
        }
    }

    private ReadOnlySpan<byte> EntryOf(ReadOnlySpan<byte> value) => _entry.AsSpan(0, PendingEntry.Write(value, _entry));

    /// <summary>Whether a key is above all that the leaves and the pending tree store, deletions and what they delete included.</summary>
    private bool IsAboveAllNodes(PageNumber root, PageNumber pending, ReadOnlySpan<byte> key) =>
        _above.IsAboveAll(pending, key) && _below.IsAboveAll(root, key);

    private bool IsAboveAllRows(PageNumber root, ReadOnlySpan<byte> key)
    {
        RowCursor cursor = new(_pages.Source, _pages.TransactionId, root, _path, remembersKey: false);
        bool isAbove = !cursor.MoveLast() || cursor.Key.SequenceCompareTo(key) < 0;
        cursor.Dispose();
        return isAbove;
    }

    private void DropPending(PageNumber root, PageNumber pending)
    {
        _above.DropTree(pending);
        _pages.Source.Pending.End(root, _pages.TransactionId);
    }
}
