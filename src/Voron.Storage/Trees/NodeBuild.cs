using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Rebuilds nodes: only live entries, with the longest prefix that their keys share.</summary>
internal static class NodeBuild
{
    /// <summary>
    /// Returns whether all live entries and a new one would fit in a rebuilt node, and the prefix it would have.
    /// <paramref name="entryBytes"/> is the size of the new entry without its key.
    /// </summary>
    internal static bool Fits(
        PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key, int entryBytes, out int prefixBytes)
    {
        int count = NodeSearch.Count(view);
        int first = FirstKey(view);
        int oldPrefix = NodeSearch.Prefix(view, pageBytes).Length;
        prefixBytes = PrefixWith(view, pageBytes, page, index, key);
        long bytes = PageHeader.SizeBytes + ((count + 1) * NodeSlot.SizeBytes) + prefixBytes + entryBytes + key.Length - prefixBytes;
        for (int i = 0; i < count; i++)
        {
            bytes += NodeSearch.EntryBytes(view, pageBytes, page, i);
        }

        bytes += (count - first) * (long)(oldPrefix - prefixBytes);
        return bytes <= pageBytes;
    }

    /// <summary>Returns the length of the prefix that the keys of the entries [from, to) would share in a node of their own.</summary>
    internal static int PrefixOfRange(PageView view, int pageBytes, long page, int from, int to)
    {
        int first = from + FirstKey(view);
        if (to - first < 2)
        {
            return 0;
        }

        ReadOnlySpan<byte> low = NodeSearch.Tail(view, pageBytes, page, first);
        ReadOnlySpan<byte> high = NodeSearch.Tail(view, pageBytes, page, to - 1);
        return NodeSearch.Prefix(view, pageBytes).Length + low.CommonPrefixLength(high);
    }

    /// <summary>Returns how many leading bytes a key shares with the key of an entry.</summary>
    internal static int SharedBytes(PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> prefix = NodeSearch.Prefix(view, pageBytes);
        int shared = prefix.CommonPrefixLength(key);
        return shared < prefix.Length ? shared : shared + NodeSearch.Tail(view, pageBytes, page, index).CommonPrefixLength(key[shared..]);
    }

    /// <summary>Builds a node that holds the entries [from, to) of the source, with a prefix of this length.</summary>
    internal static void CopyRange(PageView source, int pageBytes, long page, int from, int to, int prefixBytes, PageView target)
    {
        NodeCopy copy = new(target, pageBytes, page, to - from, prefixBytes);
        if (prefixBytes > 0)
        {
            copy.TakePrefix(source, page, to - 1);
        }

        if (NodeSearch.Kind(source) == PageKind.Branch)
        {
            copy.TakeChild(source, page, from++, default);
        }

        copy.Take(source, page, from, to);
        copy.End();
    }

    /// <summary>Index of the first entry with a key: the first entry of a branch has none.</summary>
    private static int FirstKey(PageView view) => NodeSearch.Kind(view) == PageKind.Branch ? 1 : 0;

    /// <summary>
    /// Returns the length of the prefix that all keys would share with <paramref name="key"/> inserted at <paramref name="index"/>.
    /// </summary>
    private static int PrefixWith(PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key)
    {
        int first = FirstKey(view);
        int count = NodeSearch.Count(view);
        if (count - first < 1)
        {
            return 0;
        }

        if (index <= first)
        {
            return SharedBytes(view, pageBytes, page, count - 1, key);
        }

        return index == count
            ? SharedBytes(view, pageBytes, page, first, key)
            : PrefixOfRange(view, pageBytes, page, 0, count);
    }
}
