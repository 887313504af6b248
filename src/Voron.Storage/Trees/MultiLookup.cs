using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Looks up several keys at once, level by level, each level in three rounds: prefetch all pages; search all pages by the heads in their
/// slots and prefetch the entries found; read all entries. The lookup thus waits for memory once a round instead of once a key.
/// </summary>
internal static class MultiLookup
{
    /// <summary>Looks up at most <see cref="LookupGroup.Count"/> keys.</summary>
    internal static void Find(
        PageSource source, TransactionId snapshot, PageNumber root, ReadOnlySpan<ReadOnlyMemory<byte>> keys, ref LookupGroup found)
    {
        FindBelow(source, snapshot, root, keys, ref found);
        PendingLayers? pending = source.Pending.Of(root, snapshot);
        for (int i = 0; pending is not null && i < keys.Length; i++)
        {
            if (PendingEntry.TryFind(source, snapshot, pending, keys[i].Span, out bool exists, out ReadOnlySpan<byte> value))
            {
                found[i] = default;
                if (exists)
                {
                    found[i].Set(value, isOverflow: false);
                }
            }
        }
    }

    private static void FindBelow(
        PageSource source, TransactionId snapshot, PageNumber root, ReadOnlySpan<ReadOnlyMemory<byte>> keys, ref LookupGroup found)
    {
        Span<Lookup> lookups = stackalloc Lookup[LookupGroup.Count];
        lookups = lookups[..keys.Length];
        foreach (ref Lookup lookup in lookups)
        {
            lookup.Page = root;
        }

        bool isDone = false;
        for (int level = 0; !isDone; level++)
        {
            CheckDepth(level, root, lookups);
            Read(source, snapshot, lookups);
            SearchHeads(keys, lookups);
            isDone = true;
            for (int i = 0; i < lookups.Length; i++)
            {
                ref Lookup lookup = ref lookups[i];
                if (lookup.Page != default)
                {
                    lookup.Page = lookup.Kind == PageKind.Branch
                        ? Child(lookup, keys[i])
                        : LookUp(lookup, keys[i], ref found[i]);
                    if (lookup.Page != default)
                    {
                        source.ReadAhead(lookup.Page);
                        isDone = false;
                    }
                }
            }
        }
    }

    private static void Read(PageSource source, TransactionId snapshot, Span<Lookup> lookups)
    {
        foreach (ref Lookup lookup in lookups)
        {
            if (lookup.Page != default)
            {
                Node node = new(source.Read(lookup.Page, snapshot), source.PageBytes, lookup.Page);
                node.PrefetchSlots();
                lookup.Node = node;
            }
        }
    }

    private static void SearchHeads(ReadOnlySpan<ReadOnlyMemory<byte>> keys, Span<Lookup> lookups)
    {
        for (int i = 0; i < lookups.Length; i++)
        {
            ref Lookup lookup = ref lookups[i];
            if (lookup.Page != default)
            {
                Node node = lookup.Node;
                PageKind kind = node.CheckHeader();
                int low = NodeSearch.FindHead(node, kind, keys[i].Span, out bool isTied);
                node.PrefetchEntry(kind == PageKind.Branch && !isTied ? low - 1 : low);
                lookup.Kind = kind;
                lookup.Index = low;
                lookup.IsTied = isTied;
            }
        }
    }

    /// <summary>Returns the child that leads to the key.</summary>
    private static PageNumber Child(in Lookup lookup, ReadOnlyMemory<byte> key)
    {
        Node node = lookup.Node;
        return node.Child(lookup.IsTied ? NodeSearch.SettleInBranch(node, key.Span, lookup.Index) : lookup.Index - 1);
    }

    /// <summary>Searches for the key in a leaf. Returns 0, which ends the lookup.</summary>
    private static PageNumber LookUp(in Lookup lookup, ReadOnlyMemory<byte> key, ref FoundValue found)
    {
        found = default;
        if (lookup.IsTied)
        {
            Node node = lookup.Node;
            int index = NodeSearch.SettleInLeaf(node, key.Span, lookup.Index, out bool exact);
            if (exact)
            {
                bool isOverflow = node.IsOverflow(index, out ReadOnlySpan<byte> stored);
                found.Set(stored, isOverflow);
            }
        }

        return default;
    }

    private static void CheckDepth(int level, PageNumber root, ReadOnlySpan<Lookup> lookups)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, lookups[0].Page);
        }
    }

    /// <summary>The state of the search for one key.</summary>
    private struct Lookup
    {
        /// <summary>The current node; 0 if the search is finished.</summary>
        internal PageNumber Page;
        internal Node Node;
        internal PageKind Kind;
        internal int Index;
        internal bool IsTied;
    }
}
