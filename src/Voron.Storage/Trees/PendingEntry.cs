using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// What a pending tree stores for a key: one byte that says whether the key has a value or is deleted, and then the value. An entry
/// overrides that of the tree below; both a put and a deletion may be of a key that the tree below does not have.
/// </summary>
internal static class PendingEntry
{
    internal const int HeadBytes = 1;
    private const byte Value = 0;
    private const byte Deleted = 1;

    /// <summary>Longest value that a pending tree takes: longer ones would leave it room for few.</summary>
    internal static int MaxValueBytes(int pageBytes) => pageBytes / 16;

    internal static bool IsDeleted(ReadOnlySpan<byte> stored) => stored[0] == Deleted;

    internal static ReadOnlySpan<byte> ValueOf(ReadOnlySpan<byte> stored) => stored[HeadBytes..];

    /// <summary>Writes the entry of a value; returns its length in bytes.</summary>
    internal static int Write(ReadOnlySpan<byte> value, Span<byte> target)
    {
        target[0] = Value;
        value.CopyTo(target[HeadBytes..]);
        return HeadBytes + value.Length;
    }

    /// <summary>Writes the entry of a deletion; returns its length in bytes.</summary>
    internal static int WriteDeletion(Span<byte> target)
    {
        target[0] = Deleted;
        return HeadBytes;
    }

    internal static ReadOnlySpan<byte> Deletion => [Deleted];

    /// <summary>Returns how many entries a tree has more than its leaves, because they are pending; negative if deletions are.</summary>
    internal static long CountAdded(PageSource source, TransactionId snapshot, PageNumber root)
    {
        PageNumber pending = source.Pending.Of(root, snapshot);
        if (pending == default)
        {
            return 0;
        }

        long added = 0;
        TreePath path = default;
        TreeCursor rows = new(source, snapshot, pending, new byte[TreeCursor.BufferBytes(source.PageBytes)], remembersKey: false);
        bool has = rows.MoveNext();
        while (has)
        {
            // The leaf is read once for all of its keys, and kept until then.
            using PageBuffers.Hold held = source.Hold();
            TreePath.Descend(ref path, source, snapshot, root, rows.Key, out Node leaf, out bool isBelow);
            int at;
            do
            {
                rows.IsOverflow(out ReadOnlySpan<byte> stored);
                added += (IsDeleted(stored) ? 0 : 1) - (isBelow ? 1 : 0);
                has = rows.MoveNext();
                at = has ? NodeSearch.FindInLeaf(leaf, rows.Key, out isBelow) : 0;
            }
            while (has && at < leaf.Count);
        }

        return added;
    }

    /// <summary>
    /// Looks a key up in the pending tree of a tree. Returns false if that decides nothing, so that the tree below must be asked.
    /// </summary>
    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="pending">The root of the pending tree.</param>
    /// <param name="key">The key.</param>
    /// <param name="exists">Whether the key has a value.</param>
    /// <param name="value">The value.</param>
    internal static bool TryFind(
        PageSource source,
        TransactionId snapshot,
        PageNumber pending,
        scoped ReadOnlySpan<byte> key,
        out bool exists,
        out ReadOnlySpan<byte> value)
    {
        exists = false;
        value = default;
        if (!TreeReader.TryFindBelow(source, snapshot, pending, key, out Node leaf, out int index))
        {
            return false;
        }

        leaf.IsOverflow(index, out ReadOnlySpan<byte> stored);
        exists = !IsDeleted(stored);
        value = exists ? ValueOf(stored) : default;
        return true;
    }
}
