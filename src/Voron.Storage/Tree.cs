using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An ordered map of byte strings in a write transaction. Keys are compared as unsigned bytes; a key that is a prefix of another key
/// comes before it.
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

    /// <summary>The number of entries, including this transaction's changes. See <see cref="ReadTree.Count"/>.</summary>
    public long Count => AsReadTree().Count;

    /// <inheritdoc cref="ReadTree.IsCountExact"/>
    public bool IsCountExact => AsReadTree().IsCountExact;

    /// <summary>Inserts the key or replaces its value.</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.Put(_generation, _index, key, value);

    /// <summary>Inserts the key; returns false and changes nothing if it exists.</summary>
    public bool TryAdd(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.TryAdd(_generation, _index, key, value);

    /// <summary>
    /// Inserts the key or replaces its value with bytes written by <paramref name="write"/>, which receives the whole value, zero-filled,
    /// and may use the transaction. Its exceptions propagate, and then the put changes nothing.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="valueBytes">Length of the value in bytes.</param>
    /// <param name="state">Passed to <paramref name="write"/>, which so needs no closure; may be a span.</param>
    /// <param name="write">Writes the value.</param>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put<TState>(
        scoped ReadOnlySpan<byte> key, int valueBytes, scoped TState state, SpanAction<byte, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        Session().Trees.CheckPut(_index, key, valueBytes);
        byte[] room = ArrayPool<byte>.Shared.Rent(key.Length + valueBytes);
        key.CopyTo(room);
        Span<byte> value = room.AsSpan(key.Length, valueBytes);
        value.Clear();
        write(value, state);
        Session().Trees.Put(_generation, _index, room.AsSpan(0, key.Length), value);
        ArrayPool<byte>.Shared.Return(room);
    }

    /// <summary>
    /// Inserts or replaces the key with a zero-filled value of <paramref name="valueBytes"/> bytes and returns it for writing. The span is
    /// valid until the next call on the transaction, including commit: that call takes the value, and bytes written afterwards are lost or
    /// end up in a value reserved later. <see cref="Put{TState}"/> does not have this hazard.
    /// </summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public Span<byte> Reserve(scoped ReadOnlySpan<byte> key, int valueBytes) =>
        Session().Trees.Reserve(_generation, _index, key, valueBytes);

    /// <summary>
    /// Inserts the key or replaces its value with a value of any length, written in pieces: about 1 MiB of it is in memory at a time, and
    /// <see cref="PipeWriter.FlushAsync"/> and <see cref="PipeWriter.GetMemory"/> wait for the data file.
    /// <see cref="PipeWriter.Complete"/> stores the value; completing with an exception stores nothing. Other operations are allowed
    /// meanwhile, but the transaction cannot commit until the writer is completed. Only <see cref="TryOpenValueReader"/> can read a value
    /// longer than one piece.
    /// </summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    public PipeWriter OpenValueWriter(scoped ReadOnlySpan<byte> key) => new ValueWriter(Session(), _generation, _index, key);

    /// <summary>
    /// Opens a value of any length for reading, like <see cref="ReadTree.TryOpenValueReader"/>. The tree must not change while it is read.
    /// </summary>
    public bool TryOpenValueReader(scoped ReadOnlySpan<byte> key, [NotNullWhen(true)] out PipeReader? reader) =>
        AsReadTree().TryOpenValueReader(key, out reader);

    /// <summary>
    /// Inserts the key after all others. The fastest way to fill a tree in ascending order: it does not search and leaves full pages.
    /// </summary>
    /// <exception cref="ArgumentException">The key is not greater than the last key; nothing changed.</exception>
    public void Append(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.Append(_generation, _index, key, value);

    /// <summary>
    /// Appends entries in ascending key order and returns their number. The tree grows from its last leaf upward, in full pages.
    /// </summary>
    /// <exception cref="ArgumentException">A key is not greater than the previous one; the entries before it are in the tree.</exception>
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
    /// Deletes the entries with from ≤ key &lt; to and returns their number. Pages entirely inside the range are freed as a whole.
    /// </summary>
    public long DeleteRange(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to) =>
        Session().Trees.DeleteRange(_generation, _index, from, to);

    /// <summary>Deletes the key; returns false if it does not exist.</summary>
    public bool Delete(scoped ReadOnlySpan<byte> key) => Session().Trees.Delete(_generation, _index, key);

    /// <summary>
    /// Replaces the value of the key if it is <paramref name="expected"/>, byte by byte; returns false and changes nothing if it is another
    /// one or the key does not exist.
    /// </summary>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueInPiecesException">The present value is too long to be compared; nothing changed.</exception>
    public bool TryReplace(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> expected, scoped ReadOnlySpan<byte> value)
    {
        Session().Trees.CheckPut(_index, key, value.Length);
        if (!Has(key, expected))
        {
            return false;
        }

        Put(key, value);
        return true;
    }

    /// <summary>
    /// Deletes the key if its value is <paramref name="expected"/>, byte by byte; returns false and changes nothing if it is another one or
    /// the key does not exist.
    /// </summary>
    /// <exception cref="ValueInPiecesException">The present value is too long to be compared; nothing changed.</exception>
    public bool TryDelete(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> expected)
    {
        Session().Trees.CheckDelete(_index, key);
        return Has(key, expected) && Delete(key);
    }

    /// <summary>
    /// Adds to the number that is the value of the key, 8 bytes in little-endian order, and returns the sum. A key that does not exist
    /// counts as 0.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="by">What is added; may be negative.</param>
    /// <exception cref="ArgumentException">The value of the key has another length than 8 bytes; nothing changed.</exception>
    /// <exception cref="OverflowException">The sum is no 64-bit number; nothing changed.</exception>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    public long Increment(scoped ReadOnlySpan<byte> key, long by = 1)
    {
        Session().Trees.CheckPut(_index, key, sizeof(long));
        long sum = by;
        if (TryGet(key, out ReadOnlySpan<byte> number))
        {
            if (number.Length != sizeof(long))
            {
                Throw.NoNumber(key, number.Length);
            }

            sum = checked(by + BinaryPrimitives.ReadInt64LittleEndian(number));
        }

        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, sum);
        Put(key, bytes);
        return sum;
    }

    /// <summary>
    /// Finds a value; returns false if the key does not exist. The span is valid until the next change in this transaction.
    /// </summary>
    public bool TryGet(scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGet(key, out value);

    /// <summary>Returns a copy of the value, or null if the key does not exist.</summary>
    public byte[]? Get(scoped ReadOnlySpan<byte> key) => AsReadTree().Get(key);

    /// <summary>Returns true if the key exists.</summary>
    public bool Contains(scoped ReadOnlySpan<byte> key) => AsReadTree().Contains(key);

    /// <summary>Looks up many keys, like <see cref="ReadTree.GetMany"/>. The tree must not change during the enumeration.</summary>
    public TreeLookups GetMany(ReadOnlySpan<ReadOnlyMemory<byte>> keys) => AsReadTree().GetMany(keys);

    /// <summary>
    /// Returns the first entry, or false if the tree is empty. Key and value are valid until the next change in this transaction.
    /// </summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetFirst(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGetFirst(out key, out value);

    /// <summary>Returns the first entry, or false if the tree is empty. It is valid until the next change in this transaction.</summary>
    public bool TryGetFirst(out TreeEntry entry) => AsReadTree().TryGetFirst(out entry);

    /// <summary>Returns the last entry, or false if the tree is empty.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetLast(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGetLast(out key, out value);

    /// <summary>Returns the last entry, valid as long as that of <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetLast(out TreeEntry entry) => AsReadTree().TryGetLast(out entry);

    /// <summary>Returns the last entry with a key ≤ <paramref name="limit"/>, or false if there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        AsReadTree().TryGetFloor(limit, out key, out value);

    /// <summary>Returns the last entry with a key ≤ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetFloor(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => AsReadTree().TryGetFloor(limit, out entry);

    /// <summary>Returns the first entry with a key ≥ <paramref name="limit"/>, or false if there is none.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use the overload with an entry.</exception>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) =>
        AsReadTree().TryGetCeiling(limit, out key, out value);

    /// <summary>Returns the first entry with a key ≥ <paramref name="limit"/>, as <see cref="TryGetFirst(out TreeEntry)"/>.</summary>
    public bool TryGetCeiling(scoped ReadOnlySpan<byte> limit, out TreeEntry entry) => AsReadTree().TryGetCeiling(limit, out entry);

    /// <summary>Estimates how many entries have from ≤ key &lt; to, like <see cref="ReadTree.EstimateCount"/>.</summary>
    public long EstimateCount(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to) => AsReadTree().EstimateCount(from, to);

    /// <summary>Returns the tree's depth, pages by kind and fill, including this transaction's changes.</summary>
    public TreeReport GetReport() => AsReadTree().GetReport();

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public ReadTree AsReadTree()
    {
        WriteSession session = Session();
        return new ReadTree(session, _generation, session.Trees.At(_generation, _index).Root, _index);
    }

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public static implicit operator ReadTree(Tree tree) => tree.AsReadTree();

    /// <summary>Opens a cursor that moves in both directions, sees this transaction's changes and can change the tree.</summary>
    public WriteCursor OpenCursor() => new(this);

    /// <summary>Enumerates all entries in key order.</summary>
    public TreeEnumerator GetEnumerator() => AsReadTree().GetEnumerator();

    /// <summary>Returns the entries with from ≤ key &lt; to.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => AsReadTree().Range(from, to);

    /// <summary>Returns the entries between two keys, with each bound inclusive or exclusive.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, bool includeFrom, ReadOnlySpan<byte> to, bool includeTo) =>
        AsReadTree().Range(from, includeFrom, to, includeTo);

    /// <summary>Returns the entries whose key starts with these bytes.</summary>
    public TreeRange Prefix(ReadOnlySpan<byte> prefix) => AsReadTree().Prefix(prefix);

    /// <summary>Returns the entries with from ≤ key.</summary>
    public TreeRange From(ReadOnlySpan<byte> from) => AsReadTree().From(from);

    /// <summary>Returns the entries with key &gt; <paramref name="after"/>.</summary>
    public TreeRange After(ReadOnlySpan<byte> after) => AsReadTree().After(after);

    /// <summary>Returns the entries with key &lt; <paramref name="to"/>.</summary>
    public TreeRange To(ReadOnlySpan<byte> to) => AsReadTree().To(to);

    /// <summary>Returns the entries with key ≤ <paramref name="last"/>.</summary>
    public TreeRange UpTo(ReadOnlySpan<byte> last) => AsReadTree().UpTo(last);

    /// <summary>Returns all entries from the last to the first.</summary>
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

    private bool Has(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> expected) =>
        TryGet(key, out ReadOnlySpan<byte> value) && value.SequenceEqual(expected);

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
