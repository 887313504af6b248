namespace Voron.Storage.Typed.Tables;

/// <summary>The tree of an index, for reading.</summary>
internal readonly struct ReadIndexTree
{
    internal ReadIndexTree(ReadTree unique)
    {
        Unique = unique;
        IsUnique = true;
    }

    internal ReadIndexTree(ReadMultiTree multi) => Multi = multi;

    internal bool IsUnique { get; }

    internal ReadTree Unique { get; }

    internal ReadMultiTree Multi { get; }

    internal long Count => IsUnique ? Unique.Count : Multi.Count;

    internal static bool TryOpen(ReadTransaction transaction, string name, bool isUnique, out ReadIndexTree tree)
    {
        if (isUnique)
        {
            bool exists = transaction.TryOpenTree(name, out ReadTree unique);
            tree = new ReadIndexTree(unique);
            return exists;
        }

        bool isThere = transaction.TryOpenMultiTree(name, out ReadMultiTree multi);
        tree = new ReadIndexTree(multi);
        return isThere;
    }

    internal bool Contains(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey) => IsUnique
        ? Unique.TryGet(key, out ReadOnlySpan<byte> holder) && holder.SequenceEqual(primaryKey)
        : Multi.Contains(key, primaryKey);
}
