using System.Buffers;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// Rows of bytes in a write transaction, with indexes that every change keeps. Sees the transaction's own changes. Used by one thread at a
/// time, as the transaction is. Spans that it gives are valid until the next change.
/// </summary>
public sealed class RawTable
{
    private readonly RawTableDefinition _definition;
    private readonly TableWriter _writer;

    internal RawTable(WriteTransaction transaction, RawTableDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        _definition = definition;
        _writer = new TableWriter(transaction, definition.Shape);
    }

    private enum Mode
    {
        Put,
        Insert,
        TryInsert,
    }

    /// <summary>Number of rows.</summary>
    public long Count => _writer.Rows.Count;

    /// <summary>Adds a row.</summary>
    /// <exception cref="DuplicateKeyException">A row with this key exists; nothing changed.</exception>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    /// <exception cref="KeyTooLongException">
    /// The primary key, or a key in an index together with it, is too long; nothing changed.
    /// </exception>
    /// <exception cref="ArgumentException">The primary key has another length than those of the table; nothing changed.</exception>
    public void Insert(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row) => Write(key, row, Mode.Insert);

    /// <summary>Adds a row; false, with nothing changed, when one with this key exists.</summary>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    /// <exception cref="ArgumentException">The primary key has another length than those of the table; nothing changed.</exception>
    public bool TryInsert(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row) => Write(key, row, Mode.TryInsert);

    /// <summary>Adds a row, or replaces the one with this key.</summary>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    /// <exception cref="ArgumentException">The primary key has another length than those of the table; nothing changed.</exception>
    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row) => Write(key, row, Mode.Put);

    /// <summary>Deletes a row; false when there is none with this key.</summary>
    public bool Delete(ReadOnlySpan<byte> key)
    {
        using RowBytes bytes = RowBytes.Of(key, []);
        return _writer.Delete(bytes.Key);
    }

    /// <inheritdoc cref="Table{TKey, TRow}.NextId"/>
    public long NextId() => _writer.NextId();

    /// <summary>Finds a row.</summary>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> row) => _writer.Rows.TryGet(key, out row);

    /// <summary>True when the row exists; it is not read.</summary>
    public bool Contains(ReadOnlySpan<byte> key) => _writer.Rows.Contains(key);

    /// <inheritdoc cref="ReadRawTable.By"/>
    public RawIndexView By(RawIndex index) => AsReadTable().By(index);

    /// <inheritdoc cref="ReadRawTable.Check"/>
    public IReadOnlyList<TableFinding> Check(int most = 1_000, CancellationToken cancellationToken = default) =>
        AsReadTable().Check(most, cancellationToken);

    /// <summary>The same table for reading.</summary>
    public ReadRawTable AsReadTable() => new(_definition, _writer.ToReader());

    private bool Write(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row, Mode mode)
    {
        _definition.CheckKey(key);
        _writer.Refresh();
        using RowBytes bytes = RowBytes.Of(key, row);
        using RowChange keys = RowChange.Take();
        if (mode == Mode.Put && _writer.HasIndexes && _writer.Rows.TryGet(bytes.Key, out ReadOnlySpan<byte> stored))
        {
            _definition.Shape.AddKeys(stored, _writer.State, keys.Before);
        }

        _definition.Shape.AddKeys(bytes.Row, _writer.State, keys.After);
        bool isStored = _writer.TryApply(keys, bytes.Key, bytes.Row, replaces: mode == Mode.Put);
        if (!isStored && mode == Mode.Insert)
        {
            Throw.DuplicateKey(_definition.Name, RawIndex.Text(bytes.Key));
        }

        return isStored;
    }

    /// <summary>A copy of key and row for one call: they may be bytes of this transaction, which move with the first change.</summary>
    private ref struct RowBytes
    {
        private byte[]? _rented;
        private int _keyBytes;
        private int _allBytes;

        internal readonly ReadOnlySpan<byte> Key => _rented.AsSpan(0, _keyBytes);

        internal readonly ReadOnlySpan<byte> Row => _rented.AsSpan(_keyBytes, _allBytes - _keyBytes);

        internal static RowBytes Of(ReadOnlySpan<byte> key, ReadOnlySpan<byte> row)
        {
            RowBytes bytes = default;
            bytes._keyBytes = key.Length;
            bytes._allBytes = checked(key.Length + row.Length);
            bytes._rented = ArrayPool<byte>.Shared.Rent(bytes._allBytes);
            key.CopyTo(bytes._rented);
            row.CopyTo(bytes._rented.AsSpan(key.Length));
            return bytes;
        }

        public void Dispose()
        {
            if (_rented is { } rented)
            {
                _rented = null;
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }
}
