using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage;

/// <summary>
/// An ordered map of byte strings as one transaction sees it. Values are spans into the database, valid until the transaction ends (in a
/// write transaction: until its next change).
/// </summary>
public readonly struct ReadTree : IEquatable<ReadTree>
{
    private readonly SnapshotScope? _scope;
    private readonly long _generation;
    private readonly PageNumber _root;

    /// <summary>The number of entries in a read transaction, the index of the open tree in a write transaction.</summary>
    private readonly long _countOrIndex;

    internal ReadTree(SnapshotScope scope, long generation, PageNumber root, long countOrIndex)
    {
        _scope = scope;
        _generation = generation;
        _root = root;
        _countOrIndex = countOrIndex;
    }

    /// <summary>
    /// The number of entries. Of a tree with <see cref="TreeOptions.WriteOptimized"/> that has entries to be merged it is an estimate: they
    /// are counted by a sample, and those that replace others count twice.
    /// </summary>
    public long Count
    {
        get
        {
            SnapshotScope scope = Scope();
            long recorded = scope is WriteSession session ? session.Trees.At(_generation, (int)_countOrIndex).Count : _countOrIndex;
            return PendingEstimate.Count(scope.Source, scope.Snapshot, _root, recorded);
        }
    }

    /// <summary>Whether <see cref="Count"/> is exact: always, but for a tree with <see cref="TreeOptions.WriteOptimized"/>.</summary>
    public bool IsCountExact
    {
        get
        {
            SnapshotScope scope = Scope();
            return PendingEstimate.IsExact(scope.Source, scope.Snapshot, _root);
        }
    }

    /// <summary>Finds a value without copying it; returns false if the key does not exist.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        SnapshotScope scope = LiveScope();
        return TreeReader.TryFind(scope.Source, scope.Snapshot, _root, key, out value);
    }

    /// <summary>Returns a copy of the value, or null if the key does not exist.</summary>
    public byte[]? Get(scoped ReadOnlySpan<byte> key) => TryGet(key, out ReadOnlySpan<byte> value) ? value.ToArray() : null;

    /// <summary>Returns true if the key exists, without reading its value.</summary>
    public bool Contains(scoped ReadOnlySpan<byte> key)
    {
        SnapshotScope scope = LiveScope();
        return TreeReader.Contains(scope.Source, scope.Snapshot, _root, key);
    }

    /// <summary>
    /// Opens a value of any length for reading; returns false if the key does not exist. The reader's segments are pages of the database,
    /// valid until the transaction ends.
    /// </summary>
    public bool TryOpenValueReader(scoped ReadOnlySpan<byte> key, [NotNullWhen(true)] out PipeReader? reader)
    {
        SnapshotScope scope = LiveScope();
        bool exists = TreeReader.TryFindStored(
            scope.Source, scope.Snapshot, _root, key, out ReadOnlySpan<byte> stored, out bool isOverflow);
        reader = exists ? OpenReader(stored, isOverflow) : null;
        return exists;
    }

    /// <summary>
    /// Looks up many keys with overlapped memory waits: <c>foreach (TreeLookup found in tree.GetMany(keys))</c>. Results come in the order
    /// of the keys. During the enumeration neither the keys nor, in a write transaction, the tree may change.
    /// </summary>
    public TreeLookups GetMany(ReadOnlySpan<ReadOnlyMemory<byte>> keys) => new(this, keys);

    /// <summary>
    /// Returns the first entry, or false if the tree is empty. Key and value are valid until the transaction ends (in a write transaction:
    /// until its next change).
    /// </summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetFirst(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        Divide(TryGetFirst(out TreeEntry entry), entry, out key, out value);

    /// <summary>
    /// Returns the first entry, or false if the tree is empty. The entry and its key are valid until the transaction ends (in a write
    /// transaction: until its next change).
    /// </summary>
    public bool TryGetFirst(out TreeEntry entry) => TryGetAt(Target.First, default, out entry);

    /// <summary>Returns the last entry, or false if the tree is empty.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetLast(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        Divide(TryGetLast(out TreeEntry entry), entry, out key, out value);

    /// <summary>Returns the last entry, valid as long as that of <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetLast(out TreeEntry entry) => TryGetAt(Target.Last, default, out entry);

    /// <summary>Returns the last entry with a key ≤ <paramref name="limit"/>, or false if there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        Divide(TryGetFloor(limit, out TreeEntry entry), entry, out key, out value);

    /// <summary>Returns the last entry with a key ≤ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => TryGetAt(Target.Floor, limit, out entry);

    /// <summary>Returns the first entry with a key ≥ <paramref name="limit"/>, or false if there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        Divide(TryGetCeiling(limit, out TreeEntry entry), entry, out key, out value);

    /// <summary>Returns the first entry with a key ≥ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => TryGetAt(Target.Ceiling, limit, out entry);

    /// <summary>
    /// Estimates how many entries have from ≤ key &lt; to, from two descents and a sample of the pages between: exact for few pages,
    /// otherwise as accurate as the sample is representative. Replaced entries that are still to be merged count twice.
    /// </summary>
    public long EstimateCount(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to)
    {
        SnapshotScope scope = LiveScope();
        long below = TreeEstimate.Between(scope.Source, scope.Snapshot, _root, Count, from, to);
        PendingLayers? pending = scope.Source.Pending.Of(_root, scope.Snapshot);
        for (int i = 0; i < (pending?.Count ?? 0); i++)
        {
            long inLayer = TreeEstimate.Between(scope.Source, scope.Snapshot, pending![i], long.MaxValue - below, from, to);
            below = Math.Min(Count, below + inLayer);
        }

        return below;
    }

    /// <summary>Returns the tree's depth, pages by kind and fill. Reads every node once, and no values.</summary>
    public TreeReport GetReport()
    {
        SnapshotScope scope = LiveScope();
        return new TreeSurvey(scope.Source, scope.Snapshot, _root).Run();
    }

    /// <summary>Opens a cursor that moves in both directions. Dispose it when it is no longer needed.</summary>
    public Cursor OpenCursor() => new(this);

    /// <summary>Enumerates all entries in key order.</summary>
    public TreeEnumerator GetEnumerator() => new TreeRange(this, default, default, RangeEnds.None, reversed: false).GetEnumerator();

    /// <summary>Returns the entries with from ≤ key &lt; to. The spans must stay unchanged while the range is used.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) =>
        new(this, from, to, RangeEnds.From | RangeEnds.To, reversed: false);

    /// <summary>
    /// Returns the entries between two keys, with each bound inclusive or exclusive. The spans must stay unchanged while the range is used.
    /// </summary>
    public TreeRange Range(ReadOnlySpan<byte> from, bool includeFrom, ReadOnlySpan<byte> to, bool includeTo) => new(
        this,
        from,
        to,
        RangeEnds.From | RangeEnds.To | (includeFrom ? RangeEnds.None : RangeEnds.FromOpen)
            | (includeTo ? RangeEnds.ToClosed : RangeEnds.None),
        reversed: false);

    /// <summary>Returns the entries whose key starts with these bytes. The span must stay unchanged while the range is used.</summary>
    public TreeRange Prefix(ReadOnlySpan<byte> prefix) => new(this, prefix, prefix, RangeEnds.From | RangeEnds.Prefix, reversed: false);

    /// <summary>Returns the entries with from ≤ key. The span must stay unchanged while the range is used.</summary>
    public TreeRange From(ReadOnlySpan<byte> from) => new(this, from, default, RangeEnds.From, reversed: false);

    /// <summary>Returns the entries with key &gt; <paramref name="after"/>. The span must stay unchanged while the range is used.</summary>
    public TreeRange After(ReadOnlySpan<byte> after) => new(this, after, default, RangeEnds.From | RangeEnds.FromOpen, reversed: false);

    /// <summary>Returns the entries with key &lt; <paramref name="to"/>. The span must stay unchanged while the range is used.</summary>
    public TreeRange To(ReadOnlySpan<byte> to) => new(this, default, to, RangeEnds.To, reversed: false);

    /// <summary>Returns the entries with key ≤ <paramref name="last"/>. The span must stay unchanged while the range is used.</summary>
    public TreeRange UpTo(ReadOnlySpan<byte> last) => new(this, default, last, RangeEnds.To | RangeEnds.ToClosed, reversed: false);

    /// <summary>Returns all entries from the last to the first.</summary>
    public TreeRange Reverse() => new(this, default, default, RangeEnds.None, reversed: true);

    /// <inheritdoc/>
    public bool Equals(ReadTree other) => _scope == other._scope && _generation == other._generation && _root == other._root;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ReadTree other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_scope, _generation, _root);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(ReadTree left, ReadTree right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(ReadTree left, ReadTree right) => !left.Equals(right);

    internal PageNumber Root => _root;

    /// <summary>Number of changes to this tree so far, for enumerators; constant in a read transaction.</summary>
    internal int Version => _scope is WriteSession session ? session.Trees.VersionOf((int)_countOrIndex) : 0;

    /// <summary>Returns the scope and checks that the tree still exists: the pages of a dropped tree must not be read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SnapshotScope LiveScope()
    {
        SnapshotScope scope = Scope();
        if (scope is WriteSession session)
        {
            session.Trees.At(_generation, (int)_countOrIndex);
        }

        return scope;
    }

    /// <summary>Returns the large value that a leaf's reference points to.</summary>
    internal ReadOnlySpan<byte> ReadLongValue(ReadOnlySpan<byte> reference)
    {
        SnapshotScope scope = LiveScope();
        return scope.Source.ReadOverflow(Node.Reference(reference), scope.Snapshot);
    }

    internal long LengthOfLongValue(ReadOnlySpan<byte> reference)
    {
        SnapshotScope scope = LiveScope();
        return scope.Source.ValueBytes(Node.Reference(reference), scope.Snapshot);
    }

    /// <summary>Opens a reader for what a leaf holds for a key: the value itself or a reference to it.</summary>
    internal PipeReader OpenReader(ReadOnlySpan<byte> stored, bool isOverflow)
    {
        ValueScope scope = new(LiveScope(), _generation, (int)_countOrIndex);
        if (!isOverflow)
        {
            return new ValueReader(scope, stored);
        }

        OverflowReference reference = Node.Reference(stored);
        return reference.IsList
            ? new ValueReader(scope, reference)
            : new ValueReader(scope, scope.Source.ReadOverflow(reference, scope.Snapshot));
    }

    private static bool Divide(bool found, TreeEntry entry, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        entry.Deconstruct(out key, out value);
        return found;
    }

    private bool TryGetAt(Target target, scoped ReadOnlySpan<byte> limit, out TreeEntry entry)
    {
        SnapshotScope scope = LiveScope();
        byte[] buffer = TreeCursor.RentBuffer(scope.Source);
        RowCursor cursor = new(scope.Source, scope.Snapshot, _root, buffer, remembersKey: false);
        bool found = target switch
        {
            Target.First => cursor.MoveFirst(),
            Target.Last => cursor.MoveLast(),
            Target.Floor => cursor.SeekFloor(limit),
            _ => cursor.Seek(limit),
        };
        entry = default;
        if (found)
        {
            bool isOverflow = cursor.IsOverflow(out ReadOnlySpan<byte> stored);
            entry = new TreeEntry(this, cursor.LastingKey(scope.Keys), stored, isOverflow);
        }

        cursor.Dispose();
        ArrayPool<byte>.Shared.Return(buffer);
        return found;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SnapshotScope Scope()
    {
        if (_scope is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _scope.CheckGeneration(_generation);
        return _scope;
    }

    /// <summary>What a lookup by position is to find.</summary>
    private enum Target : byte
    {
        First,
        Last,

        /// <summary>The last key ≤ the limit.</summary>
        Floor,

        /// <summary>The first key ≥ the limit.</summary>
        Ceiling,
    }
}
