namespace Voron.Storage.Typed;

/// <summary>A range of rows in the order of their keys, enumerated with foreach.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
public readonly ref struct RowRange<TKey, TRow>
{
    private readonly TypedRange<TKey, TRow> _range;

    internal RowRange(TypedRange<TKey, TRow> range) => _range = range;

    /// <summary>The same rows in the opposite order.</summary>
    public RowRange<TKey, TRow> Reverse() => new(_range.Reverse());

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_range.GetEnumerator());

    /// <summary>Enumerates rows; made by foreach.</summary>
    public ref struct Enumerator : IDisposable
    {
        private TypedEnumerator<TKey, TRow> _entries;

        internal Enumerator(TypedEnumerator<TKey, TRow> entries) => _entries = entries;

        /// <summary>The present row, read each time anew.</summary>
        public readonly TRow Current => _entries.Current.Value;

        /// <summary>Goes to the next row; false at the end.</summary>
        /// <exception cref="InvalidOperationException">The table was changed since the enumeration began.</exception>
        public bool MoveNext() => _entries.MoveNext();

        /// <summary>Ends the enumeration.</summary>
        public void Dispose() => _entries.Dispose();
    }
}
