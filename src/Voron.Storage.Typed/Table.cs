using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// Rows in a write transaction, with indexes that every change keeps. Sees the transaction's own changes. Used by one thread at a time, as
/// the transaction is.
/// </summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
public sealed class Table<TKey, TRow>
{
    private readonly TableDefinition<TKey, TRow> _definition;
    private readonly TableWriter _writer;

    internal Table(WriteTransaction transaction, TableDefinition<TKey, TRow> definition)
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
    public long Count => Rows.Count;

    private Tree Rows => _writer.Rows;

    private Tree<TKey, TRow> TypedRows => new(_writer.Rows, _definition.Tree);

    /// <summary>Adds a row.</summary>
    /// <exception cref="DuplicateKeyException">A row with its key exists; nothing changed.</exception>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    /// <exception cref="KeyTooLongException">
    /// Its primary key, or a key in an index together with the primary key, is too long; nothing changed.
    /// </exception>
    public void Insert(TRow row) => Write(row, Mode.Insert);

    /// <summary>Adds a row; false, with nothing changed, when one with its key exists.</summary>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    public bool TryInsert(TRow row) => Write(row, Mode.TryInsert);

    /// <summary>Adds a row, or replaces the one with its key.</summary>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    public void Put(TRow row) => Write(row, Mode.Put);

    /// <summary>Changes a row; false when there is none with this key.</summary>
    /// <param name="key">The primary key, which the change must leave as it is.</param>
    /// <param name="change">Gives the new row, or changes the one that it gets and returns it. Must not change the table.</param>
    /// <exception cref="ArgumentException">The new row has another key; nothing changed.</exception>
    /// <exception cref="UniqueIndexException">Another row has its key in a unique index; nothing changed.</exception>
    public bool Update(TKey key, Func<TRow, TRow> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        return Update(key, static (row, change) => change(row), change);
    }

    /// <summary>As <see cref="Update(TKey, Func{TRow, TRow})"/>, with a state that is handed on, so that no closure is needed.</summary>
    public bool Update<TState>(TKey key, Func<TRow, TState, TRow> change, TState state)
    {
        ArgumentNullException.ThrowIfNull(change);
        _writer.Refresh();
        using KeyBytes bytes = KeyBytes.Of(_definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        if (!Rows.TryGet(bytes.Span, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        using RowChange keys = RowChange.Take();
        TRow row = _definition.Rows.Decode(stored);

        // Before the change, which may change the row itself.
        AddKeys(row, keys.Before);
        row = change(row, state);
        ArgumentNullException.ThrowIfNull(row, nameof(change));
        using EntryBytes entry = EntryBytes.Of(_definition.Tree, _definition.Key(row), row, stackalloc byte[KeyBytes.OnStack]);
        if (!entry.Key.SequenceEqual(bytes.Span))
        {
            Throw.KeyChanged(_definition.Name, key!, _definition.Key(row)!);
        }

        AddKeys(row, keys.After);
        return _writer.TryApply(keys, entry.Key, entry.Value, replaces: true);
    }

    /// <summary>Deletes a row; false when there is none with this key.</summary>
    public bool Delete(TKey key)
    {
        using KeyBytes bytes = KeyBytes.Of(_definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        return _writer.Delete(bytes.Span);
    }

    /// <summary>
    /// The next number of the table's sequence: 1, 2, 3 and so on. It rolls back with the transaction, and does not know the keys of rows
    /// that got them from elsewhere.
    /// </summary>
    /// <exception cref="OverflowException">The sequence has given its last number; nothing changed.</exception>
    public long NextId() => _writer.NextId();

    /// <summary>Finds a row.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TRow row) => TypedRows.TryGet(key, out row);

    /// <summary>The row with this key; the default, null for classes, when there is none.</summary>
    public TRow? Get(TKey key) => TypedRows.TryGet(key, out TRow? row) ? row : default;

    /// <summary>True when the row exists; it is not read.</summary>
    public bool Contains(TKey key) => TypedRows.Contains(key);

    /// <summary>All rows in the order of keys. The table must not change meanwhile.</summary>
    public RowRange<TKey, TRow>.Enumerator GetEnumerator() => AsReadTable().GetEnumerator();

    /// <summary>Rows with from ≤ key &lt; to.</summary>
    public RowRange<TKey, TRow> Range(TKey from, TKey to) => AsReadTable().Range(from, to);

    /// <summary>Rows with from ≤ key.</summary>
    public RowRange<TKey, TRow> From(TKey from) => AsReadTable().From(from);

    /// <summary>Rows with key &gt; <paramref name="after"/>.</summary>
    public RowRange<TKey, TRow> After(TKey after) => AsReadTable().After(after);

    /// <summary>Rows with key &lt; <paramref name="to"/>.</summary>
    public RowRange<TKey, TRow> To(TKey to) => AsReadTable().To(to);

    /// <summary>All rows from the last to the first.</summary>
    public RowRange<TKey, TRow> Reverse() => AsReadTable().Reverse();

    /// <inheritdoc cref="ReadTable{TKey, TRow}.By"/>
    public IndexView<TKey, TRow, TIndexKey> By<TIndexKey>(Index<TRow, TIndexKey> index) => AsReadTable().By(index);

    /// <inheritdoc cref="ReadTable{TKey, TRow}.Check"/>
    public IReadOnlyList<TableFinding> Check(int most = 1_000, CancellationToken cancellationToken = default) =>
        AsReadTable().Check(most, cancellationToken);

    /// <summary>The same table for reading.</summary>
    public ReadTable<TKey, TRow> AsReadTable() => new(_definition, _writer.ToReader());

    private bool Write(TRow row, Mode mode)
    {
        ArgumentNullException.ThrowIfNull(row);
        _writer.Refresh();
        TKey key = _definition.Key(row);
        using EntryBytes entry = EntryBytes.Of(_definition.Tree, key, row, stackalloc byte[KeyBytes.OnStack]);
        using RowChange keys = RowChange.Take();
        if (mode == Mode.Put && _writer.HasIndexes && Rows.TryGet(entry.Key, out ReadOnlySpan<byte> stored))
        {
            _definition.Shape.AddKeys(stored, _writer.State, keys.Before);
        }

        AddKeys(row, keys.After);
        bool isStored = _writer.TryApply(keys, entry.Key, entry.Value, replaces: mode == Mode.Put);
        if (!isStored && mode == Mode.Insert)
        {
            Throw.DuplicateKey(_definition.Name, key!);
        }

        return isStored;
    }

    private void AddKeys(TRow row, KeyList keys) => _definition.Shape.AddKeys(row, _writer.State, keys);
}
