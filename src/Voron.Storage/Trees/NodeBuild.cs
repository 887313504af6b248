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
    internal static bool Fits(in Node node, int index, ReadOnlySpan<byte> key, int entryBytes, out int prefixBytes)
    {
        int count = node.Count;
        int first = FirstKey(node);
        int oldPrefix = node.Prefix.Length;
        prefixBytes = PrefixWith(node, index, key);
        long bytes = PageHeader.SizeBytes + ((count + 1) * NodeSlot.SizeBytes) + prefixBytes + entryBytes + key.Length - prefixBytes;
        for (int i = 0; i < count; i++)
        {
            bytes += node.EntryBytes(i);
        }

        bytes += (count - first) * (long)(oldPrefix - prefixBytes);
        return bytes <= node.PageBytes;
    }

    /// <summary>Returns the length of the prefix that the keys of the entries [from, to) would share in a node of their own.</summary>
    internal static int PrefixOfRange(in Node node, int from, int to)
    {
        int first = from + FirstKey(node);
        if (to - first < 2)
        {
            return 0;
        }

        ReadOnlySpan<byte> low = node.Tail(first);
        ReadOnlySpan<byte> high = node.Tail(to - 1);
        return node.Prefix.Length + low.CommonPrefixLength(high);
    }

    /// <summary>Returns how many leading bytes a key shares with the key of an entry.</summary>
    internal static int SharedBytes(in Node node, int index, ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> prefix = node.Prefix;
        int shared = prefix.CommonPrefixLength(key);
        return shared < prefix.Length ? shared : shared + node.Tail(index).CommonPrefixLength(key[shared..]);
    }

    /// <summary>Returns how many leading bytes a key shares with the last key that an entry before it stands for.</summary>
    internal static int SharedByLast(in Node leaf, int index, ReadOnlySpan<byte> key, EntrySpan? spans) =>
        spans is null ? SharedBytes(leaf, index, key) : spans.SharedByLast(leaf, index, key);

    /// <summary>Builds a node that holds the entries [from, to) of the source, with a prefix of this length.</summary>
    internal static void CopyRange(in Node source, int from, int to, int prefixBytes, PageView target)
    {
        NodeCopy copy = new(new Node(target, source.PageBytes, source.Page), to - from, prefixBytes);
        if (prefixBytes > 0)
        {
            copy.TakePrefix(source, to - 1);
        }

        if (!source.IsLeaf)
        {
            copy.TakeChild(source, from++, default);
        }

        copy.Take(source, from, to);
        copy.End();
    }

    /// <summary>Index of the first entry with a key: the first entry of a branch has none.</summary>
    private static int FirstKey(in Node node) => !node.IsLeaf ? 1 : 0;

    /// <summary>
    /// Returns the length of the prefix that all keys would share with <paramref name="key"/> inserted at <paramref name="index"/>.
    /// </summary>
    private static int PrefixWith(in Node node, int index, ReadOnlySpan<byte> key)
    {
        int first = FirstKey(node);
        int count = node.Count;
        if (count - first < 1)
        {
            return 0;
        }

        if (index <= first)
        {
            return SharedBytes(node, count - 1, key);
        }

        return index == count
            ? SharedBytes(node, first, key)
            : PrefixOfRange(node, 0, count);
    }
}
