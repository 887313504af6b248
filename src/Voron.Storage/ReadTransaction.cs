using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// A snapshot of the database: what was committed when it began, whatever is written meanwhile. Beginning and ending one takes no lock
/// and allocates nothing; it may be used from any thread and across awaits. Spans read from it are valid until it is disposed. A copy of
/// the handle is the same transaction.
/// </summary>
public readonly struct ReadTransaction : IDisposable, IEquatable<ReadTransaction>
{
    private readonly ReaderSlot? _slot;
    private readonly long _transaction;

    internal ReadTransaction(ReaderSlot slot)
    {
        _slot = slot;
        _transaction = slot.Transaction;
    }

    /// <summary>The last transaction that this snapshot sees; 0 when nothing was ever committed.</summary>
    public long TransactionId
    {
        get
        {
            ReaderSlot slot = Slot();
            return slot.Snapshot;
        }
    }

    /// <summary>Opens a tree for reading; false when the snapshot has none of that name.</summary>
    public bool TryOpenTree(string name, out ReadTree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a tree for reading; false when the snapshot has none of that name.</summary>
    public bool TryOpenTree(scoped ReadOnlySpan<byte> name, out ReadTree tree)
    {
        ReaderSlot slot = Slot();
        long generation = slot.Generation;
        TreeName.Check(name);
        if (!Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record))
        {
            tree = default;
            return false;
        }

        tree = new ReadTree(slot, generation, record.RootPage, record.EntryCount);
        return true;
    }

    /// <summary>Opens a tree for reading that must be there.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has none of that name.</exception>
    public ReadTree OpenTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Opens a tree for reading that must be there.</summary>
    /// <exception cref="TreeNotFoundException">The snapshot has none of that name.</exception>
    public ReadTree OpenTree(scoped ReadOnlySpan<byte> name)
    {
        if (!TryOpenTree(name, out ReadTree tree))
        {
            Transactions.Throw.TreeNotFound(Encoding.UTF8.GetString(name), TransactionId);
        }

        return tree;
    }

    /// <summary>
    /// Names of all trees in byte order. One that is not UTF-8 is listed with U+FFFD where it is no text; only its bytes open it, which
    /// <see cref="TreeNameBytes"/> has.
    /// </summary>
    public IReadOnlyList<string> TreeNames
    {
        get
        {
            ReaderSlot slot = Slot();
            return TreeName.List(slot.Source, slot.Snapshot);
        }
    }

    /// <summary>Names of all trees in byte order, as the bytes that they are.</summary>
    public IReadOnlyList<byte[]> TreeNameBytes
    {
        get
        {
            ReaderSlot slot = Slot();
            return TreeName.ListBytes(slot.Source, slot.Snapshot);
        }
    }

    /// <summary>
    /// Begins another transaction at the same snapshot, which lives as long as either of them: to hand it to another task, say.
    /// </summary>
    public ReadTransaction Clone()
    {
        ReaderSlot slot = Slot();
        return new ReadTransaction(slot.Table.Clone(slot, _transaction));
    }

    /// <summary>
    /// Goes to what is committed now, in place, and returns this transaction. Trees have to be opened again: handles and spans of before
    /// are void.
    /// </summary>
    public ReadTransaction Renew()
    {
        Slot().Renew(_transaction);
        return this;
    }

    /// <summary>Ends the snapshot; does nothing when it has ended.</summary>
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

        _slot.CheckTransaction(_transaction);
        return _slot;
    }
}
