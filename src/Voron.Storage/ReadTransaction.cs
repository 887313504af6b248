using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// A snapshot of the database as committed when the transaction began; later commits do not change it. Beginning and ending one takes no
/// lock and allocates nothing. It may be used from any thread and across awaits. Spans read from it are valid until it is disposed. A copy
/// of the handle is the same transaction.
/// </summary>
public readonly struct ReadTransaction : IDisposable, IEquatable<ReadTransaction>
{
    private readonly ReaderSlot? _slot;
    private readonly long _transaction;

    internal ReadTransaction(ReaderSlot slot)
    {
        _slot = slot;
        _transaction = slot.Occupant;
    }

    /// <summary>The id of the last transaction that this snapshot contains; 0 if nothing was ever committed.</summary>
    public long TransactionId
    {
        get
        {
            ReaderSlot slot = Slot();
            return slot.Snapshot.Value;
        }
    }

    /// <summary>Opens a tree for reading; returns false if the snapshot has no tree of that name.</summary>
    public bool TryOpenTree(string name, out ReadTree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a tree for reading; returns false if the snapshot has no tree of that name.</summary>
    public bool TryOpenTree(scoped ReadOnlySpan<byte> name, out ReadTree tree)
    {
        ReaderSlot slot = Slot();
        long generation = slot.Generation;
        TreeName.Check(TreeName.Public(name));
        if (!Catalog.TryFindOrdered(slot.Source, slot.Snapshot, name, out TreeRecord record))
        {
            tree = default;
            return false;
        }

        tree = new ReadTree(slot, generation, record.RootPage, record.EntryCount);
        return true;
    }

    /// <summary>Opens an existing tree for reading.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has no tree of that name.</exception>
    public ReadTree OpenTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Opens an existing tree for reading.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has no tree of that name.</exception>
    public ReadTree OpenTree(scoped ReadOnlySpan<byte> name)
    {
        if (!TryOpenTree(name, out ReadTree tree))
        {
            Transactions.Throw.TreeNotFound(Encoding.UTF8.GetString(name), Slot().Snapshot);
        }

        return tree;
    }

    /// <summary>Opens a multi-value tree for reading; returns false if the snapshot has no tree of that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public bool TryOpenMultiTree(string name, out ReadMultiTree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenMultiTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a multi-value tree for reading; returns false if the snapshot has no tree of that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public bool TryOpenMultiTree(scoped ReadOnlySpan<byte> name, out ReadMultiTree tree)
    {
        ReaderSlot slot = Slot();
        long generation = slot.Generation;
        TreeName.Check(TreeName.Public(name));
        bool exists = Catalog.TryFindMulti(slot.Source, slot.Snapshot, name, out TreeRecord record);
        tree = exists ? new ReadMultiTree(slot, generation, record.RootPage, record.ValueBytes, record.EntryCount) : default;
        return exists;
    }

    /// <summary>Opens an existing multi-value tree for reading.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has no tree of that name.</exception>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public ReadMultiTree OpenMultiTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenMultiTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Opens an existing multi-value tree for reading.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has no tree of that name.</exception>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public ReadMultiTree OpenMultiTree(scoped ReadOnlySpan<byte> name)
    {
        if (!TryOpenMultiTree(name, out ReadMultiTree tree))
        {
            Transactions.Throw.TreeNotFound(Encoding.UTF8.GetString(name), Slot().Snapshot);
        }

        return tree;
    }

    /// <summary>Opens a fixed-size tree for reading; returns false if the snapshot has no tree of that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind, or has keys of another type.</exception>
    public bool TryOpenFixedTree<TKey>(string name, out ReadFixedTree<TKey> tree)
        where TKey : unmanaged
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenFixedTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <inheritdoc cref="TryOpenFixedTree{TKey}(string, out ReadFixedTree{TKey})"/>
    public bool TryOpenFixedTree<TKey>(scoped ReadOnlySpan<byte> name, out ReadFixedTree<TKey> tree)
        where TKey : unmanaged
    {
        ReaderSlot slot = Slot();
        long generation = slot.Generation;
        TreeName.Check(TreeName.Public(name));
        FixedKeyKind keys = SessionFixedTrees.KindOf<TKey>();
        bool exists = Catalog.TryFindFixed(slot.Source, slot.Snapshot, name, keys, out TreeRecord record);
        tree = exists ? new ReadFixedTree<TKey>(slot, generation, record.RootPage, record.Shape, record.EntryCount) : default;
        return exists;
    }

    /// <summary>Opens an existing fixed-size tree for reading.</summary>
    /// <typeparam name="TKey">
    /// <see cref="long"/>, <see cref="ulong"/>, <see cref="double"/> or <see cref="Guid"/>; another one is an
    /// <see cref="ArgumentException"/>.
    /// </typeparam>
    /// <exception cref="TreeNotFoundException">The snapshot has no tree of that name.</exception>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind, or has keys of another type.</exception>
    public ReadFixedTree<TKey> OpenFixedTree<TKey>(string name)
        where TKey : unmanaged
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenFixedTree<TKey>(TreeName.Encode(name, bytes));
    }

    /// <inheritdoc cref="OpenFixedTree{TKey}(string)"/>
    public ReadFixedTree<TKey> OpenFixedTree<TKey>(scoped ReadOnlySpan<byte> name)
        where TKey : unmanaged
    {
        if (!TryOpenFixedTree(name, out ReadFixedTree<TKey> tree))
        {
            Transactions.Throw.TreeNotFound(Encoding.UTF8.GetString(name), Slot().Snapshot);
        }

        return tree;
    }

    /// <summary>
    /// The names of all trees in byte order. Bytes that are not valid UTF-8 appear as U+FFFD; such a tree can be opened only with its
    /// name's bytes, from <see cref="TreeNameBytes"/>.
    /// </summary>
    public IReadOnlyList<string> TreeNames
    {
        get
        {
            ReaderSlot slot = Slot();
            return TreeName.List(slot.Source, slot.Snapshot);
        }
    }

    /// <summary>The names of all trees as bytes, in byte order.</summary>
    public IReadOnlyList<byte[]> TreeNameBytes
    {
        get
        {
            ReaderSlot slot = Slot();
            return TreeName.ListBytes(slot.Source, slot.Snapshot);
        }
    }

    /// <summary>
    /// Begins another transaction at the same snapshot, for example for another task. The snapshot lives until both have ended.
    /// </summary>
    public ReadTransaction Clone()
    {
        ReaderSlot slot = Slot();
        return new ReadTransaction(slot.Table.Clone(slot, _transaction));
    }

    /// <summary>
    /// Moves this transaction to a snapshot of what is committed now and returns it. Earlier tree handles and spans become invalid; open
    /// the trees again.
    /// </summary>
    public ReadTransaction Renew()
    {
        Slot().Renew(_transaction);
        return this;
    }

    /// <summary>Ends the transaction; does nothing if it has ended.</summary>
    public void Dispose() => _slot?.Release(_transaction);

    /// <inheritdoc/>
    public bool Equals(ReadTransaction other) => _slot == other._slot && _transaction == other._transaction;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ReadTransaction other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_slot, _transaction);

    /// <summary>True when both handles are the same transaction.</summary>
    public static bool operator ==(ReadTransaction left, ReadTransaction right) => left.Equals(right);

    /// <summary>True when the handles are different transactions.</summary>
    public static bool operator !=(ReadTransaction left, ReadTransaction right) => !left.Equals(right);

    private ReaderSlot Slot()
    {
        if (_slot is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _slot.CheckOccupant(_transaction);
        return _slot;
    }
}
