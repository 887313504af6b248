using Voron.Storage.Structures;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// Keys of one type and values of one length in a write transaction, in the order of the keys: that of <c>CompareTo</c> of the type. Of
/// <see cref="double"/> keys, every NaN is one key, the first of all, and −0 is 0. In a change, the value may be a span of this tree.
/// </summary>
/// <typeparam name="TKey"><see cref="long"/>, <see cref="ulong"/>, <see cref="double"/> or <see cref="Guid"/>.</typeparam>
public readonly struct FixedTree<TKey> : IEquatable<FixedTree<TKey>>
    where TKey : unmanaged
{
    private readonly WriteSession? _session;
    private readonly long _generation;
    private readonly int _index;

    internal FixedTree(WriteSession session, long generation, int index)
    {
        _session = session;
        _generation = generation;
        _index = index;
    }

    /// <summary>The number of entries, including this transaction's changes.</summary>
    public long Count => AsReadFixedTree().Count;

    /// <inheritdoc cref="ReadFixedTree{TKey}.ValueSize"/>
    public int ValueSize => AsReadFixedTree().ValueSize;

    /// <summary>Inserts or replaces an entry.</summary>
    /// <exception cref="ArgumentException">The value has another length than those of the tree; nothing changed.</exception>
    public void Put(TKey key, scoped ReadOnlySpan<byte> value)
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        Session().Trees.Fixed.Put(_generation, _index, Ordered(key, ordered), value);
    }

    /// <summary>Inserts an entry; returns false and changes nothing if the key exists.</summary>
    /// <exception cref="ArgumentException">The value has another length than those of the tree; nothing changed.</exception>
    public bool Add(TKey key, scoped ReadOnlySpan<byte> value)
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        return Session().Trees.Fixed.Add(_generation, _index, Ordered(key, ordered), value);
    }

    /// <summary>Adds an entry after all others: the fastest change, which fills pages.</summary>
    /// <exception cref="ArgumentException">
    /// The key is not above the last one, or the value has another length than those of the tree; nothing changed.
    /// </exception>
    public void Append(TKey key, scoped ReadOnlySpan<byte> value)
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        Session().Trees.Fixed.Append(_generation, _index, Ordered(key, ordered), value);
    }

    /// <summary>
    /// Adds entries after all others, given as columns like those of <see cref="FixedBlock{TKey}"/>: for those that come by the thousand.
    /// Unlike the value of a single change, they must not be memory of this tree.
    /// </summary>
    /// <param name="keys">The keys in ascending order.</param>
    /// <param name="values">The values of the keys, one after the other.</param>
    /// <exception cref="ArgumentException">
    /// The keys are not in ascending order, or the first one is not above the last key of the tree, or the values have another length;
    /// nothing changed.
    /// </exception>
    public void Append(scoped ReadOnlySpan<TKey> keys, scoped ReadOnlySpan<byte> values) =>
        Session().Trees.Fixed.AppendColumns(_generation, _index, keys, values);

    /// <summary>
    /// Inserts or replaces an entry with a value of zeros and returns that value, to be written before the next call on the transaction.
    /// </summary>
    public Span<byte> Reserve(TKey key)
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        return Session().Trees.Fixed.Reserve(_generation, _index, Ordered(key, ordered));
    }

    /// <summary>Deletes an entry; returns false if the key does not exist.</summary>
    public bool Delete(TKey key)
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        return Session().Trees.Fixed.Delete(_generation, _index, Ordered(key, ordered));
    }

    /// <summary>
    /// Deletes the entries with from ≤ key &lt; to and returns their number. Pages entirely inside the range are freed as a whole.
    /// </summary>
    public long DeleteRange(TKey from, TKey to)
    {
        Span<byte> low = stackalloc byte[FixedKey.MostBytes];
        Span<byte> high = stackalloc byte[FixedKey.MostBytes];
        return Session().Trees.Fixed.DeleteRange(_generation, _index, Ordered(from, low), Ordered(to, high));
    }

    /// <inheritdoc cref="ReadFixedTree{TKey}.TryGet"/>
    public bool TryGet(TKey key, out ReadOnlySpan<byte> value) => AsReadFixedTree().TryGet(key, out value);

    /// <inheritdoc cref="ReadFixedTree{TKey}.Contains"/>
    public bool Contains(TKey key) => AsReadFixedTree().Contains(key);

    /// <inheritdoc cref="ReadFixedTree{TKey}.TryGetFirst"/>
    public bool TryGetFirst(out TKey key, out ReadOnlySpan<byte> value) => AsReadFixedTree().TryGetFirst(out key, out value);

    /// <inheritdoc cref="ReadFixedTree{TKey}.TryGetLast"/>
    public bool TryGetLast(out TKey key, out ReadOnlySpan<byte> value) => AsReadFixedTree().TryGetLast(out key, out value);

    /// <inheritdoc cref="ReadFixedTree{TKey}.TryGetFloor"/>
    public bool TryGetFloor(TKey limit, out TKey key, out ReadOnlySpan<byte> value) =>
        AsReadFixedTree().TryGetFloor(limit, out key, out value);

    /// <inheritdoc cref="ReadFixedTree{TKey}.TryGetCeiling"/>
    public bool TryGetCeiling(TKey limit, out TKey key, out ReadOnlySpan<byte> value) =>
        AsReadFixedTree().TryGetCeiling(limit, out key, out value);

    /// <inheritdoc cref="ReadFixedTree{TKey}.CountBetween"/>
    public long CountBetween(TKey from, TKey to) => AsReadFixedTree().CountBetween(from, to);

    /// <summary>Enumerates all entries in order. The tree must not change meanwhile.</summary>
    public FixedRange<TKey>.Enumerator GetEnumerator() => AsReadFixedTree().GetEnumerator();

    /// <inheritdoc cref="ReadFixedTree{TKey}.Range"/>
    public FixedRange<TKey> Range(TKey from, TKey to) => AsReadFixedTree().Range(from, to);

    /// <inheritdoc cref="ReadFixedTree{TKey}.From"/>
    public FixedRange<TKey> From(TKey from) => AsReadFixedTree().From(from);

    /// <inheritdoc cref="ReadFixedTree{TKey}.After"/>
    public FixedRange<TKey> After(TKey after) => AsReadFixedTree().After(after);

    /// <inheritdoc cref="ReadFixedTree{TKey}.To"/>
    public FixedRange<TKey> To(TKey to) => AsReadFixedTree().To(to);

    /// <inheritdoc cref="ReadFixedTree{TKey}.UpTo"/>
    public FixedRange<TKey> UpTo(TKey last) => AsReadFixedTree().UpTo(last);

    /// <inheritdoc cref="ReadFixedTree{TKey}.Reverse"/>
    public FixedRange<TKey> Reverse() => AsReadFixedTree().Reverse();

    /// <inheritdoc cref="ReadFixedTree{TKey}.Blocks()"/>
    public FixedBlocks<TKey> Blocks() => AsReadFixedTree().Blocks();

    /// <inheritdoc cref="ReadFixedTree{TKey}.Blocks(TKey, TKey)"/>
    public FixedBlocks<TKey> Blocks(TKey from, TKey to) => AsReadFixedTree().Blocks(from, to);

    /// <inheritdoc cref="ReadFixedTree{TKey}.GetReport"/>
    public TreeReport GetReport() => AsReadFixedTree().GetReport();

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public ReadFixedTree<TKey> AsReadFixedTree()
    {
        WriteSession session = Session();
        ref OpenTree tree = ref session.Trees.Fixed.At(_generation, _index);
        return new ReadFixedTree<TKey>(session, _generation, tree.Root, tree.Shape, _index);
    }

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public static implicit operator ReadFixedTree<TKey>(FixedTree<TKey> tree) => tree.AsReadFixedTree();

    /// <inheritdoc/>
    public bool Equals(FixedTree<TKey> other) => _session == other._session && _generation == other._generation && _index == other._index;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is FixedTree<TKey> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_session, _generation, _index);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(FixedTree<TKey> left, FixedTree<TKey> right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(FixedTree<TKey> left, FixedTree<TKey> right) => !left.Equals(right);

    private static ReadOnlySpan<byte> Ordered(TKey key, Span<byte> room) => room[..FixedKey.Write(FixedKey.Normal(key), room)];

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
