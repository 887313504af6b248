using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An ordered map of byte strings in a write transaction. Keys are ordered byte by byte, unsigned; a key that is a prefix of another
/// comes first.
/// </summary>
public readonly struct Tree : IEquatable<Tree>
{
    private readonly WriteSession? _session;
    private readonly long _generation;
    private readonly int _index;

    internal Tree(WriteSession session, long generation, int index)
    {
        _session = session;
        _generation = generation;
        _index = index;
    }

    /// <summary>Number of entries, this transaction's changes included.</summary>
    public long Count => Session().TreeAt(_generation, _index).Count;

    /// <summary>Inserts the key or replaces its value.</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Put(_generation, _index, key, value);

    /// <summary>Inserts the key; false, with nothing changed, when it exists.</summary>
    public bool TryAdd(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().TryAdd(_generation, _index, key, value);

    /// <summary>
    /// Inserts the key or replaces its value with bytes that <paramref name="write"/> writes. It gets the whole value, zeros at first. What
    /// it throws comes out of the call, and nothing changed. It may use the transaction.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="valueBytes">Length of the value.</param>
    /// <param name="state">Given to <paramref name="write"/>, which so needs no closure; a span, too.</param>
    /// <param name="write">Writes the value.</param>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put<TState>(
        scoped ReadOnlySpan<byte> key, int valueBytes, scoped TState state, SpanAction<byte, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        Session().CheckPut(_index, key, valueBytes);
        byte[] room = ArrayPool<byte>.Shared.Rent(key.Length + valueBytes);
        key.CopyTo(room);
        Span<byte> value = room.AsSpan(key.Length, valueBytes);
        value.Clear();
        write(value, state);
        Session().Put(_generation, _index, room.AsSpan(0, key.Length), value);
        ArrayPool<byte>.Shared.Return(room);
    }

    /// <summary>
    /// Inserts the key or replaces its value with <paramref name="valueBytes"/> zeros, and returns them for the caller to write. The span
    /// is valid until the next call on the transaction, its commit included: then the value is taken, and what is written later is lost
    /// or becomes part of a value reserved later. <see cref="Put{TState}"/> cannot be used too late.
    /// </summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public Span<byte> Reserve(scoped ReadOnlySpan<byte> key, int valueBytes) => Session().Reserve(_generation, _index, key, valueBytes);

    /// <summary>
    /// Inserts the key or replaces its value with one of any length that comes piece by piece: about 1 MiB of it is in memory at a time,
    /// and <see cref="PipeWriter.FlushAsync"/> and <see cref="PipeWriter.GetMemory"/> wait for the data file. The value is stored by
    /// <see cref="PipeWriter.Complete"/>; completed with an exception nothing is stored. Other operations are legal meanwhile; the
    /// transaction does not commit before the writer is completed. A value longer than a piece can be read with
    /// <see cref="TryOpenValueReader"/> only.
    /// </summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    public PipeWriter OpenValueWriter(scoped ReadOnlySpan<byte> key) => new ValueWriter(Session(), _generation, _index, key);

    /// <summary>Opens a value of any length for reading, as <see cref="ReadTree.TryOpenValueReader"/> does; the tree may not change
    /// meanwhile.</summary>
    public bool TryOpenValueReader(scoped ReadOnlySpan<byte> key, [NotNullWhen(true)] out PipeReader? reader) =>
        AsReadTree().TryOpenValueReader(key, out reader);

    /// <summary>
    /// Inserts the key behind all others. The fastest way to fill a tree in ascending order: no search, and full pages.
    /// </summary>
    /// <exception cref="ArgumentException">The key is not above the last one; nothing changed.</exception>
    public void Append(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) => Session().Append(_generation, _index, key, value);

    /// <summary>
    /// Appends entries that come in ascending order and returns how many came. The tree grows from its last leaf upward, in full pages.
    /// </summary>
    /// <exception cref="ArgumentException">A key is not above the one before; the entries before it are in the tree.</exception>
    public long Load(IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> ascending)
    {
        ArgumentNullException.ThrowIfNull(ascending);
        long count = 0;
        foreach ((ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value) in ascending)
        {
            Append(key.Span, value.Span);
            count++;
        }

        return count;
    }

    /// <summary>
    /// Deletes the entries with from ≤ key &lt; to and returns how many there were. Pages that lie inside the range go as a whole.
    /// </summary>
    public long DeleteRange(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to) =>
        Session().DeleteRange(_generation, _index, from, to);

    /// <summary>Deletes the key; false when it does not exist.</summary>
    public bool Delete(scoped ReadOnlySpan<byte> key) => Session().Delete(_generation, _index, key);

    /// <summary>Finds a value; the span is valid until the next change in this transaction.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGet(key, out value);

    /// <summary>A copy of the value, or null when the key does not exist.</summary>
    public byte[]? Get(scoped ReadOnlySpan<byte> key) => AsReadTree().Get(key);

    /// <summary>True when the key exists.</summary>
    public bool Contains(scoped ReadOnlySpan<byte> key) => AsReadTree().Contains(key);

    /// <summary>Looks up many keys, as <see cref="ReadTree.GetMany"/> does. The tree may not change meanwhile.</summary>
    public TreeLookups GetMany(ReadOnlySpan<ReadOnlyMemory<byte>> keys) => AsReadTree().GetMany(keys);

    /// <summary>The first entry; false when the tree is empty. Key and value are valid until the next change in this
    /// transaction.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; the overload with an entry reads it.</exception>
    public bool TryGetFirst(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGetFirst(out key, out value);

    /// <summary>The first entry; false when the tree is empty. It is valid until the next change in this transaction.</summary>
    public bool TryGetFirst(out TreeEntry entry) => AsReadTree().TryGetFirst(out entry);

    /// <summary>The last entry; false when the tree is empty.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; the overload with an entry reads it.</exception>
    public bool TryGetLast(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGetLast(out key, out value);

    /// <summary>The last entry, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetLast(out TreeEntry entry) => AsReadTree().TryGetLast(out entry);

    /// <summary>The last entry with a key ≤ <paramref name="limit"/>; false when there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; the overload with an entry reads it.</exception>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        AsReadTree().TryGetFloor(limit, out key, out value);

    /// <summary>The last entry with a key ≤ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => AsReadTree().TryGetFloor(limit, out entry);

    /// <summary>The first entry with a key ≥ <paramref name="limit"/>; false when there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; the overload with an entry reads it.</exception>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        AsReadTree().TryGetCeiling(limit, out key, out value);

    /// <summary>The first entry with a key ≥ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => AsReadTree().TryGetCeiling(limit, out entry);

    /// <summary>About how many entries have from ≤ key &lt; to.</summary>
    public long EstimateCount(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to) => AsReadTree().EstimateCount(from, to);

    /// <summary>Depth, pages by kind and fill, with this transaction's changes.</summary>
    public TreeReport GetReport() => AsReadTree().GetReport();

    /// <summary>The same tree for reading; it sees this transaction's changes.</summary>
    public ReadTree AsReadTree()
    {
        WriteSession session = Session();
        return new ReadTree(session, _generation, session.TreeAt(_generation, _index).Root, _index);
    }

    /// <summary>The same tree for reading; it sees this transaction's changes.</summary>
    public static implicit operator ReadTree(Tree tree) => tree.AsReadTree();

    /// <summary>A position in the tree that can be moved both ways, sees this transaction's changes and makes changes itself.</summary>
    public WriteCursor OpenCursor() => new(this);

    /// <summary>All entries in key order.</summary>
    public TreeEnumerator GetEnumerator() => AsReadTree().GetEnumerator();

    /// <summary>Entries with from ≤ key &lt; to.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => AsReadTree().Range(from, to);

    /// <summary>Entries between two keys, each of which may belong to the range or not.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, bool includeFrom, ReadOnlySpan<byte> to, bool includeTo) =>
        AsReadTree().Range(from, includeFrom, to, includeTo);

    /// <summary>Entries whose key starts with these bytes.</summary>
    public TreeRange Prefix(ReadOnlySpan<byte> prefix) => AsReadTree().Prefix(prefix);

    /// <summary>Entries with from ≤ key.</summary>
    public TreeRange From(ReadOnlySpan<byte> from) => AsReadTree().From(from);

    /// <summary>Entries with key &gt; <paramref name="after"/>.</summary>
    public TreeRange After(ReadOnlySpan<byte> after) => AsReadTree().After(after);

    /// <summary>Entries with key &lt; <paramref name="to"/>.</summary>
    public TreeRange To(ReadOnlySpan<byte> to) => AsReadTree().To(to);

    /// <summary>Entries with key ≤ <paramref name="last"/>.</summary>
    public TreeRange UpTo(ReadOnlySpan<byte> last) => AsReadTree().UpTo(last);

    /// <summary>All entries from the last to the first.</summary>
    public TreeRange Reverse() => AsReadTree().Reverse();

    /// <inheritdoc/>
    public bool Equals(Tree other) => _session == other._session && _generation == other._generation && _index == other._index;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Tree other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_session, _generation, _index);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(Tree left, Tree right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(Tree left, Tree right) => !left.Equals(right);

    private WriteSession Session()
    {
        if (_session is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _session.CheckGeneration(_generation);
        return _session;
    }
}
