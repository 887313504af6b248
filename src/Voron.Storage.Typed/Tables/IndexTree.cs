namespace Voron.Storage.Typed.Tables;

/// <summary>The tree of an index in a write transaction: an ordered one if the index is unique, else a multi-value tree.</summary>
internal readonly struct IndexTree
{
    private readonly Tree _unique;
    private readonly MultiTree _multi;
    private readonly bool _isUnique;

    private IndexTree(Tree unique)
    {
        _unique = unique;
        _isUnique = true;
    }

    private IndexTree(MultiTree multi) => _multi = multi;

    internal long Count => _isUnique ? _unique.Count : _multi.Count;

    internal static bool TryOpen(WriteTransaction transaction, string name, bool isUnique, out IndexTree tree)
    {
        if (isUnique)
        {
            bool exists = transaction.TryOpenTree(name, out Tree unique);
            tree = new IndexTree(unique);
            return exists;
        }

        bool isThere = transaction.TryOpenMultiTree(name, out MultiTree multi);
        tree = new IndexTree(multi);
        return isThere;
    }

    /// <summary>Creates the tree, or opens an empty one that has its name.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="name">The name of the tree.</param>
    /// <param name="isUnique">Whether the index is unique.</param>
    /// <param name="primaryBytes">Length of primary keys; null when it depends on the key.</param>
    internal static IndexTree Create(WriteTransaction transaction, string name, bool isUnique, int? primaryBytes)
    {
        const int MaxValueBytes = 256;
        return isUnique
            ? new IndexTree(transaction.OpenTree(name))
            : new IndexTree(transaction.OpenMultiTree(name, primaryBytes <= MaxValueBytes ? primaryBytes : null));
    }

    /// <summary>Gets the tree of a unique index; false if it is another one.</summary>
    internal bool TryGetUnique(out Tree tree)
    {
        tree = _unique;
        return _isUnique;
    }

    /// <summary>Adds a row; false, with nothing changed, when a unique index has the key for another row.</summary>
    internal bool TryAdd(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        if (!_isUnique)
        {
            _multi.Add(key, primaryKey);
            return true;
        }

        return _unique.TryAdd(key, primaryKey)
            || (_unique.TryGet(key, out ReadOnlySpan<byte> holder) && holder.SequenceEqual(primaryKey));
    }

    /// <summary>Adds a row to an index that is known to have the key for no other one, if it is unique.</summary>
    internal void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        if (_isUnique)
        {
            _unique.Put(key, primaryKey);
        }
        else
        {
            _multi.Add(key, primaryKey);
        }
    }

    /// <summary>Takes a row out of the index. A key that a unique index has for another row stays.</summary>
    internal void Remove(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        if (!_isUnique)
        {
            _multi.Delete(key, primaryKey);
        }
        else if (_unique.TryGet(key, out ReadOnlySpan<byte> holder) && holder.SequenceEqual(primaryKey))
        {
            _unique.Delete(key);
        }
    }

    internal ReadIndexTree AsReadTree() => _isUnique ? new(_unique.AsReadTree()) : new(_multi.AsReadMultiTree());
}
