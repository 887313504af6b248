namespace Voron.Storage.Typed.Tables;

/// <summary>Walks the entries of an index with low ≤ key &lt; high, or in the opposite order.</summary>
internal ref struct IndexCursor : IDisposable
{
    private readonly bool _isUnique;
    private TreeEnumerator _unique;
    private MultiRange.Enumerator _multi;

    /// <param name="tree">The index.</param>
    /// <param name="low">The first key; empty for no bound.</param>
    /// <param name="high">The first key that is not in the range; null for no bound.</param>
    /// <param name="isReversed">Whether the last entry comes first.</param>
    internal IndexCursor(ReadIndexTree tree, byte[] low, byte[]? high, bool isReversed)
    {
        _isUnique = tree.IsUnique;
        if (_isUnique)
        {
            TreeRange range = high is null ? tree.Unique.From(low) : tree.Unique.Range(low, high);
            _unique = (isReversed ? range.Reverse() : range).GetEnumerator();
        }
        else
        {
            MultiRange range = high is null ? tree.Multi.From(low) : tree.Multi.Range(low, high);
            _multi = (isReversed ? range.Reverse() : range).GetEnumerator();
        }
    }

    internal readonly ReadOnlySpan<byte> Key => _isUnique ? _unique.Current.Key : _multi.Current.Key;

    internal readonly ReadOnlySpan<byte> PrimaryKey => _isUnique ? _unique.Current.Value : _multi.Current.Value;

    internal bool MoveNext() => _isUnique ? _unique.MoveNext() : _multi.MoveNext();

    public void Dispose()
    {
        if (_isUnique)
        {
            _unique.Dispose();
        }
        else
        {
            _multi.Dispose();
        }
    }
}
