using System.Diagnostics.CodeAnalysis;
using System.Text;
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
    private readonly WriteTransaction _transaction;
    private readonly TableDefinition<TKey, TRow> _definition;
    private Tree<TKey, TRow> _rows;
    private TableState _state;
    private IndexTree[] _trees;
    private int _changes;

    internal Table(WriteTransaction transaction, TableDefinition<TKey, TRow> definition)
    {
        _transaction = transaction;
        _definition = definition;
        Open();
    }

    private enum Mode
    {
        Put,
        Insert,
        TryInsert,
    }

    /// <summary>Number of rows.</summary>
    public long Count => _rows.Count;

    private Tree Rows => _rows.Bytes;

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
        Refresh();
        using KeyBytes bytes = KeyBytes.Of(_definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        if (!Rows.TryGet(bytes.Span, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        using RowChange keys = RowChange.Take();
        TRow row = _definition.Rows.Decode(stored);

        // Before the change, which may change the row itself.
        AddKeys(row, bytes.Span, keys.Before);
        row = change(row, state);
        ArgumentNullException.ThrowIfNull(row, nameof(change));
        using EntryBytes entry = EntryBytes.Of(_definition.Tree, _definition.Key(row), row, stackalloc byte[KeyBytes.OnStack]);
        if (!entry.Key.SequenceEqual(bytes.Span))
        {
            Throw.KeyChanged(_definition.Name, key!, _definition.Key(row)!);
        }

        AddKeys(row, entry.Key, keys.After);
        Apply(keys, entry.Key, entry.Value);
        return true;
    }

    /// <summary>Deletes a row; false when there is none with this key.</summary>
    public bool Delete(TKey key)
    {
        Refresh();
        using KeyBytes bytes = KeyBytes.Of(_definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        if (!Rows.TryGet(bytes.Span, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        using RowChange keys = RowChange.Take();
        AddStoredKeys(stored, bytes.Span, keys.Before);
        Rows.Delete(bytes.Span);
        for (int i = 0; i < keys.Before.Count; i++)
        {
            _trees[keys.Before.OrdinalAt(i)].Remove(keys.Before.KeyAt(i), bytes.Span);
        }

        return true;
    }

    /// <summary>
    /// The next number of the table's sequence: 1, 2, 3 and so on. It rolls back with the transaction, and does not know the keys of rows
    /// that got them from elsewhere.
    /// </summary>
    /// <exception cref="OverflowException">The sequence has given its last number; nothing changed.</exception>
    public long NextId()
    {
        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.UTF8.GetBytes(_definition.Name, name)];
        return _transaction.OpenTree(TableNames.Sequences).Increment(name);
    }

    /// <summary>Finds a row.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TRow row) => _rows.TryGet(key, out row);

    /// <summary>The row with this key; the default, null for classes, when there is none.</summary>
    public TRow? Get(TKey key) => _rows.TryGet(key, out TRow? row) ? row : default;

    /// <summary>True when the row exists; it is not read.</summary>
    public bool Contains(TKey key) => _rows.Contains(key);

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
    public ReadTable<TKey, TRow> AsReadTable()
    {
        Refresh();
        return new(_definition, _state, _rows.AsReadTree(), _trees);
    }

    [MemberNotNull(nameof(_state), nameof(_trees))]
    private void Open()
    {
        TableOpening<TKey, TRow> opening = new(_transaction, _definition);
        _rows = new Tree<TKey, TRow>(opening.Rows, _definition.Tree);
        _state = opening.State;
        _trees = opening.Trees;
        _changes = Volatile.Read(ref _definition.Changes);
    }

    /// <summary>Looks again if an index may be in another state since: this transaction may have opened the table a second time.</summary>
    private void Refresh()
    {
        if (_changes != Volatile.Read(ref _definition.Changes))
        {
            Open();
        }
    }

    private bool Write(TRow row, Mode mode)
    {
        ArgumentNullException.ThrowIfNull(row);
        Refresh();
        TKey key = _definition.Key(row);
        using EntryBytes entry = EntryBytes.Of(_definition.Tree, key, row, stackalloc byte[KeyBytes.OnStack]);
        using RowChange keys = RowChange.Take();
        if (mode == Mode.Put)
        {
            if (_trees.Length > 0 && Rows.TryGet(entry.Key, out ReadOnlySpan<byte> stored))
            {
                AddStoredKeys(stored, entry.Key, keys.Before);
            }
        }
        else if (Rows.Contains(entry.Key))
        {
            if (mode == Mode.Insert)
            {
                Throw.DuplicateKey(_definition.Name, key!);
            }

            return false;
        }

        AddKeys(row, entry.Key, keys.After);
        Apply(keys, entry.Key, entry.Value);
        return true;
    }

    private void AddStoredKeys(ReadOnlySpan<byte> stored, ReadOnlySpan<byte> primaryKey, KeyList keys)
    {
        if (_trees.Length > 0)
        {
            AddKeys(_definition.Rows.Decode(stored), primaryKey, keys);
        }
    }

    /// <summary>Adds the keys of a row in the indexes that are maintained for it.</summary>
    private void AddKeys(TRow row, ReadOnlySpan<byte> primaryKey, KeyList keys)
    {
        for (int ordinal = 0; ordinal < _trees.Length; ordinal++)
        {
            if (_state[ordinal].Covers(primaryKey))
            {
                _definition.Indexes[ordinal].AddKeys(row, ordinal, keys);
            }
        }
    }

    /// <summary>
    /// Stores a row and brings its indexes along. Unique keys are looked up before the first change, and if the engine refuses a key as too
    /// long, what came before it is undone: the transaction stays usable.
    /// </summary>
    private void Apply(RowChange change, ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        change.Compare();
        foreach (int at in change.Added)
        {
            CheckUnique(change.After.OrdinalAt(at), change.After.KeyAt(at), primaryKey);
        }

        int added = 0;
        try
        {
            for (; added < change.Added.Count; added++)
            {
                int at = change.Added[added];
                _trees[change.After.OrdinalAt(at)].Add(change.After.KeyAt(at), primaryKey);
            }

            Rows.Put(primaryKey, row);
        }
        catch (Exception error) when (error is KeyTooLongException or ValueTooLongException or ArgumentException)
        {
            while (added-- > 0)
            {
                int at = change.Added[added];
                _trees[change.After.OrdinalAt(at)].Remove(change.After.KeyAt(at), primaryKey);
            }

            throw;
        }

        foreach (int at in change.Removed)
        {
            _trees[change.Before.OrdinalAt(at)].Remove(change.Before.KeyAt(at), primaryKey);
        }
    }

    private void CheckUnique(int ordinal, ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        RowIndex<TRow> index = _definition.Indexes[ordinal];
        if (index.IsUnique && _trees[ordinal].TryGet(key, out ReadOnlySpan<byte> holder) && !holder.SequenceEqual(primaryKey))
        {
            Throw.NotUnique(_definition.Name, index.Name, index.Decode(key));
        }
    }
}
