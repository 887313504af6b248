using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>A range of an index of a table of bytes, enumerated with foreach.</summary>
public readonly ref struct RawIndexRange
{
    private readonly TableReader _table;
    private readonly RawIndex _index;
    private readonly ReadIndexTree _tree;
    private readonly byte[] _low;
    private readonly byte[]? _high;
    private readonly bool _isReversed;

    internal RawIndexRange(TableReader table, RawIndex index, ReadIndexTree tree, byte[] low, byte[]? high, bool isReversed)
    {
        _table = table;
        _index = index;
        _tree = tree;
        _low = low;
        _high = high;
        _isReversed = isReversed;
    }

    /// <summary>The same entries in the opposite order.</summary>
    public RawIndexRange Reverse() => new(_table, _index, _tree, _low, _high, !_isReversed);

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_table, _index, new IndexCursor(_tree, _low, _high, _isReversed));

    /// <summary>Enumerates entries; made by foreach.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly TableReader _table;
        private readonly RawIndex _index;
        private IndexCursor _entries;

        internal Enumerator(TableReader table, RawIndex index, IndexCursor entries)
        {
            _table = table;
            _index = index;
            _entries = entries;
        }

        /// <summary>The present entry, valid until the next one.</summary>
        public readonly RawIndexEntry Current => new(_table, _index, _entries.Key, _entries.PrimaryKey);

        /// <summary>Goes to the next entry; false at the end.</summary>
        /// <exception cref="InvalidOperationException">The index was changed since the enumeration began.</exception>
        public bool MoveNext() => _entries.MoveNext();

        /// <summary>Ends the enumeration.</summary>
        public void Dispose() => _entries.Dispose();
    }
}
