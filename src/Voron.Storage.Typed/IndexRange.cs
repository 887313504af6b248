using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>A range of an index, enumerated with foreach: the rows, or by <see cref="Keys"/> their primary keys.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
/// <typeparam name="TIndexKey">The type of the index's keys.</typeparam>
public readonly ref struct IndexRange<TKey, TRow, TIndexKey>
{
    private readonly IndexView<TKey, TRow, TIndexKey> _view;
    private readonly byte[] _low;
    private readonly byte[]? _high;
    private readonly bool _isReversed;

    internal IndexRange(IndexView<TKey, TRow, TIndexKey> view, byte[] low, byte[]? high, bool isReversed)
    {
        _view = view;
        _low = low;
        _high = high;
        _isReversed = isReversed;
    }

    /// <summary>The primary keys in the same order; no row is read.</summary>
    public IndexKeys<TKey, TRow, TIndexKey> Keys => new(this);

    /// <summary>The same rows in the opposite order.</summary>
    public IndexRange<TKey, TRow, TIndexKey> Reverse() => new(_view, _low, _high, !_isReversed);

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_view, Walk());

    internal TableDefinition<TKey, TRow> Definition => _view.Definition;

    internal IndexCursor Walk() => new(_view.Tree, _low, _high, _isReversed);

    /// <summary>Enumerates rows; made by foreach.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly IndexView<TKey, TRow, TIndexKey> _view;
        private IndexCursor _entries;

        internal Enumerator(IndexView<TKey, TRow, TIndexKey> view, IndexCursor entries)
        {
            _view = view;
            _entries = entries;
        }

        /// <summary>The present row, found and read each time anew.</summary>
        public readonly TRow Current => _view.RowAt(_entries.PrimaryKey);

        /// <summary>Goes to the next row; false at the end.</summary>
        /// <exception cref="InvalidOperationException">The index was changed since the enumeration began.</exception>
        public bool MoveNext() => _entries.MoveNext();

        /// <summary>Ends the enumeration.</summary>
        public void Dispose() => _entries.Dispose();
    }
}
