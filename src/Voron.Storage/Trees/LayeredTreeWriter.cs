using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Changes trees of which some have a pending tree above them. There, puts and deletions go to the pending tree, and later, many of them
/// together, to the leaves below. The entries of a tree are those below, overridden by the pending ones. Values that are too long for the
/// pending tree, appends and whole ranges go directly to the leaves.
/// <para>So does what replaces or deletes a value with pages of its own: recovery repeats operations but not merges, so a merge must not
/// free pages that a record in the journal names.</para>
/// <para>What says by how much a tree grows means the number of its entries that is recorded: see
/// <see cref="PendingLayers.CountsLeaves"/>.</para>
/// </summary>
internal sealed class LayeredTreeWriter
{
    private readonly PageWriter _pages;
    private readonly TreeWriter _below;
    private readonly TreeWriter _above;
    private readonly byte[] _entry;
    private readonly byte[] _path;

    /// <summary>The pending tree in which <see cref="FindPlace"/> has searched, and whether its top has the key; null for none.</summary>
    private PendingLayers? _found;
    private bool _isFoundAbove;

    /// <param name="pages">The pages of the transaction.</param>
    /// <param name="mostKeys">About how many keys the memory of pending trees has room for.</param>
    internal LayeredTreeWriter(PageWriter pages, int mostKeys = 1024)
    {
        _pages = pages;
        _below = new TreeWriter(pages);
        _above = new TreeWriter(pages);
        Pending = new PendingWriter(pages, _below, _above, mostKeys);
        _entry = new byte[PendingEntry.HeadBytes + PendingEntry.MaxValueBytes(pages.PageBytes)];
        _path = new byte[TreeCursor.BufferBytes(pages.PageBytes)];
    }

    /// <summary>The pending trees.</summary>
    internal PendingWriter Pending { get; }

    /// <inheritdoc cref="TreeWriter.MaxKeyBytes"/>
    internal int MaxKeyBytes => _below.MaxKeyBytes;

    /// <inheritdoc cref="TreeWriter.CreateRoot"/>
    internal PageNumber CreateRoot() => _below.CreateRoot();

    /// <summary>Frees all pages of a tree, including its root, its overflow runs and its pending tree.</summary>
    internal void DropTree(PageNumber root)
    {
        if (Pending.Of(root) is { } pending)
        {
            Pending.Drop(root, pending);
        }

        _below.DropTree(root);
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to and returns their number.</summary>
    /// <param name="root">The tree.</param>
    /// <param name="from">The first key.</param>
    /// <param name="to">The key behind the last one.</param>
    /// <param name="grew">By how much the tree grows; usually it shrinks.</param>
    internal long DeleteRange(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, out long grew)
    {
        long deleted;
        if (Pending.Of(root) is not { } pending || from.SequenceCompareTo(to) >= 0)
        {
            deleted = _below.DeleteRange(root, from, to);
            grew = -deleted;
            return deleted;
        }

        // The merge may change what the caller's keys lie in.
        byte[] first = from.ToArray();
        byte[] end = to.ToArray();
        int merged = Pending.MergeRange(root, pending, first, end);
        deleted = _below.DeleteRange(root, first, end);
        grew = merged - deleted;
        return deleted;
    }

    /// <summary>Returns whether the tree has an entry with from ≤ key &lt; to.</summary>
    internal bool HasAny(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        RowCursor cursor = new(_pages.Source, _pages.TransactionId, root, _path, remembersKey: false);
        bool hasAny = cursor.Seek(from) && cursor.Key.SequenceCompareTo(to) < 0;
        cursor.Dispose();
        return hasAny;
    }

    /// <summary>Inserts or replaces an entry; returns whether the tree grows.</summary>
    internal bool Put(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (Pending.Of(root) is not { } pending)
        {
            return _below.Put(root, key, value);
        }

        _below.CheckKey(key);
        if (pending.IsBlind && IsShort(value))
        {
            pending.Keys.Now.Add(KeyFilter.HashOf(key));
            _above.Put(pending.Top, key, EntryOf(value));
            return false;
        }

        bool exists = FindPlace(root, key);
        return PutFound(root, key, value, exists);
    }

    /// <summary>As above, with a value that is stored in these runs, each a piece of it.</summary>
    internal bool PutRuns(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        if (Pending.Of(root) is not { } pending)
        {
            return _below.PutRuns(root, key, runs);
        }

        // What follows may change what the caller's key lies in.
        _below.CheckKey(key);
        byte[] copy = key.ToArray();
        bool existed = FindPlace(root, copy);
        ForgetFound(copy);
        Pending.EndBlind(root);
        bool isNew = _below.PutRuns(root, copy, runs);
        return pending.CountsLeaves ? isNew : !existed;
    }

    /// <inheritdoc cref="TreeWriter.FindPlace"/>
    internal bool FindPlace(PageNumber root, ReadOnlySpan<byte> key)
    {
        _found = Pending.Of(root);
        if (_found is null)
        {
            return _below.FindPlace(root, key);
        }

        _isFoundAbove = _above.FindPlace(_found.Top, key);
        if (_isFoundAbove)
        {
            return !PendingEntry.IsDeleted(_above.FoundValue);
        }

        ulong hash = KeyFilter.HashOf(key);
        if (PendingEntry.TryFindLower(_pages.Source, _pages.TransactionId, _found, key, hash, out ReadOnlySpan<byte> stored))
        {
            return !PendingEntry.IsDeleted(stored);
        }

        bool exists = _below.FindPlace(root, key);
        if (exists && _below.IsFoundLong)
        {
            _found = null;
        }

        return exists;
    }

    /// <summary>Inserts the key that <see cref="FindPlace"/> did not find; returns whether the tree grows.</summary>
    internal bool InsertFound(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (_found is not null)
        {
            return PutFound(root, key, value, exists: false);
        }

        _below.InsertFound(root, key, value);
        return true;
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

    /// <summary>Deletes the key that <see cref="FindPlace"/> found; returns whether the tree shrinks.</summary>
    internal bool DeleteFound(ReadOnlySpan<byte> key)
    {
        if (_found is null)
        {
            _below.DeleteFound(key);
            return true;
        }

        PutFoundAbove(key, PendingEntry.Deletion);
        return !_found.CountsLeaves;
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
    internal bool IsAboveAll(PageNumber root, ReadOnlySpan<byte> key) => Pending.Of(root) is { } pending
        ? IsAboveAllNodes(root, pending, key) || IsAboveAllRows(root, key)
        : _below.IsAboveAll(root, key);

    /// <inheritdoc cref="TreeWriter.AppendRun"/>
    internal void AppendRun(PageNumber root, Span<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        bool isAbove = Pending.Of(root) is not { } pending || IsAboveAllNodes(root, pending, puts[0].Key(notes));
        if (isAbove)
        {
            _below.AppendRun(root, puts, notes);
        }

        foreach (ref DeferredPut put in puts)
        {
            put.Added = isAbove || Put(root, put.Key(notes), put.Value(notes));
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
        if (Pending.Of(root) is { } pending)
        {
            _above.FindLeaves(puts, notes, pending.Top, _above.LeafLevel(pending.Top, puts[0].Key(notes)));
            foreach (ref DeferredPut put in puts)
            {
                put.PendingLeaf = put.Leaf;
            }

            if (pending.IsBlind)
            {
                return;
            }

            ReadAheadLower(pending, puts, notes);
        }

        _below.FindLeaves(puts, notes, root, _below.LeafLevel(root, puts[0].Key(notes)));
    }

    private void ReadAheadLower(PendingLayers pending, ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        for (int i = 0; i < puts.Length && pending.Lower.Length > 0 && _pages.Source.Mapped.IsCold; i++)
        {
            PendingEntry.ReadAheadLower(_pages.Source, _pages.TransactionId, pending, puts[i].Key(notes));
        }
    }

    /// <inheritdoc cref="LeafPrefetch.Fetch"/>
    internal void Fetch(in DeferredPut put, int step)
    {
        if (put.PendingLeaf == default)
        {
            LeafPrefetch.Fetch(_pages, put.Leaf, step);
            return;
        }

        if (!_above.HasMoved(put.PendingLeaf))
        {
            // It may have been freed otherwise: a long value takes an entry out of the pending tree.
            LeafPrefetch.Fetch(_pages, put.PendingLeaf, step);
        }

        // The leaf below is only searched, or not even that: then it is the pending one.
        if (step < LeafPrefetch.Steps - 1 && put.Leaf != put.PendingLeaf)
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
        PendingLayers pending = Pending.Of(put.Root)!;
        if (!IsShort(value))
        {
            return false;
        }

        ulong hash = KeyFilter.HashOf(key);
        pending.Keys.Now.Add(hash);
        if (pending.IsBlind)
        {
            return _above.TryPutAt(put.PendingLeaf, key, EntryOf(value), out _);
        }

        if (!_above.TryFindAt(put.PendingLeaf, key, out bool isAbove, out ReadOnlySpan<byte> stored, out _))
        {
            return false;
        }

        bool exists = false;
        bool isPending = isAbove || PendingEntry.TryFindLower(_pages.Source, _pages.TransactionId, pending, key, hash, out stored);
        if (isPending)
        {
            exists = !PendingEntry.IsDeleted(stored);
        }
        else if (!_below.TryFindAt(put.Leaf, key, out exists, out _, out bool isLong) || isLong)
        {
            return false;
        }

        added = !exists && !pending.CountsLeaves;
        return _above.TryPutAt(put.PendingLeaf, key, EntryOf(value), out _);
    }

    private bool IsShort(ReadOnlySpan<byte> value) => value.Length <= PendingEntry.MaxValueBytes(_pages.PageBytes);

    /// <summary>Puts an entry where its key was sought; returns whether the tree grows.</summary>
    private bool PutFound(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool exists)
    {
        bool countsLeaves = Pending.Of(root)!.CountsLeaves;
        if (_found is not null && IsShort(value))
        {
            PutFoundAbove(key, EntryOf(value));
            return !exists && !countsLeaves;
        }

        ForgetFound(key);
        bool isNew = _below.Put(root, key, value);
        return countsLeaves ? isNew : !exists;
    }

    /// <summary>Removes the key that was found from the pending tree, because its value will be in the leaves.</summary>
    private void ForgetFound(ReadOnlySpan<byte> key)
    {
        if (_found is not null)
        {
            if (_isFoundAbove)
            {
                _above.DeleteFound(key);
            }

            Pending.ForgetLower(_found, key);
        }
    }

    private void PutFoundAbove(ReadOnlySpan<byte> key, ReadOnlySpan<byte> entry)
    {
        if (_isFoundAbove)
        {
            _above.Put(_found!.Top, key, entry);
        }
        else
        {
            _found!.Keys.Now.Add(KeyFilter.HashOf(key));
            _above.InsertFound(_found!.Top, key, entry);
        }
    }

    private ReadOnlySpan<byte> EntryOf(ReadOnlySpan<byte> value) => _entry.AsSpan(0, PendingEntry.Write(value, _entry));

    /// <summary>Whether a key is above all that the leaves and the pending tree store, deletions and what they delete included.</summary>
    private bool IsAboveAllNodes(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> key)
    {
        bool isAbove = true;
        for (int i = 0; i < pending.Count && isAbove; i++)
        {
            isAbove = _above.IsAboveAll(pending[i], key);
        }

        return isAbove && _below.IsAboveAll(root, key);
    }

    private bool IsAboveAllRows(PageNumber root, ReadOnlySpan<byte> key)
    {
        RowCursor cursor = new(_pages.Source, _pages.TransactionId, root, _path, remembersKey: false);
        bool isAbove = !cursor.MoveLast() || cursor.Key.SequenceCompareTo(key) < 0;
        cursor.Dispose();
        return isAbove;
    }
}
