using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>The primary keys in a range of an index, enumerated with foreach.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
/// <typeparam name="TIndexKey">The type of the index's keys.</typeparam>
public readonly ref struct IndexKeys<TKey, TRow, TIndexKey>
{
    private readonly IndexRange<TKey, TRow, TIndexKey> _range;

    internal IndexKeys(IndexRange<TKey, TRow, TIndexKey> range) => _range = range;

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_range.Definition.Keys, _range.Walk());

    /// <summary>Enumerates primary keys; made by foreach.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly IKeyCodec<TKey> _keys;
        private IndexCursor _entries;

        internal Enumerator(IKeyCodec<TKey> keys, IndexCursor entries)
        {
            _keys = keys;
            _entries = entries;
        }

        /// <summary>The present primary key.</summary>
        public readonly TKey Current => _keys.Decode(_entries.PrimaryKey);

        /// <summary>Goes to the next one; false at the end.</summary>
        /// <exception cref="InvalidOperationException">The index was changed since the enumeration began.</exception>
        public bool MoveNext() => _entries.MoveNext();

        /// <summary>Ends the enumeration.</summary>
        public void Dispose() => _entries.Dispose();
    }
}
