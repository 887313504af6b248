using System.Collections;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>The indexes of a table, filled where the table is defined: <c>Indexes = { ByEmail, ByTag }</c>.</summary>
/// <typeparam name="TRow">The type of rows.</typeparam>
public sealed class IndexList<TRow> : IReadOnlyList<RowIndex<TRow>>
{
    /// <summary>Number of indexes that a table may have.</summary>
    public const int MaxIndexes = IndexRules.MaxIndexes;

    private readonly string _table;
    private RowIndex<TRow>[] _indexes = [];
    private volatile bool _isUsed;

    internal IndexList(string table) => _table = table;

    /// <summary>Number of indexes.</summary>
    public int Count => _indexes.Length;

    /// <summary>An index by its place.</summary>
    public RowIndex<TRow> this[int index] => _indexes[index];

    /// <summary>Adds an index; only before a transaction has opened the table.</summary>
    /// <exception cref="ArgumentException">An index has that name, or the names of table and index are too long together.</exception>
    /// <exception cref="InvalidOperationException">The table has been opened, or has <see cref="MaxIndexes"/> indexes.</exception>
    public void Add(RowIndex<TRow> index)
    {
        if (index is null)
        {
            Throw.NullIndex(_table, nameof(index));
        }

        if (_isUsed)
        {
            Throw.DefinitionInUse(_table, index.Name);
        }

        IndexRules.Check(_table, _indexes, index);
        _indexes = [.. _indexes, index];
    }

    /// <inheritdoc/>
    public IEnumerator<RowIndex<TRow>> GetEnumerator() => ((IEnumerable<RowIndex<TRow>>)_indexes).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>The indexes for a transaction; from now on none is added.</summary>
    internal RowIndex<TRow>[] Use()
    {
        _isUsed = true;
        return _indexes;
    }

    /// <summary>The place of an index.</summary>
    /// <exception cref="ArgumentException">It is not an index of this table.</exception>
    internal int OrdinalOf(RowIndex<TRow> index)
    {
        ArgumentNullException.ThrowIfNull(index);
        int ordinal = Array.IndexOf(_indexes, index);
        if (ordinal < 0)
        {
            Throw.ForeignIndex(_table, index.Name);
        }

        return ordinal;
    }
}
