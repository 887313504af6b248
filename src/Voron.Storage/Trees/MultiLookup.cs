using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Looks up several keys at once, in the rounds of <see cref="LookupStep"/>: it waits for memory once a round instead of once a key.
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
        Span<LookupStep> lookups = stackalloc LookupStep[LookupGroup.Count];
        lookups = lookups[..keys.Length];
        foreach (ref LookupStep lookup in lookups)
        {
            lookup.Page = root;
        }

        bool isDone = false;
        for (int level = 0; !isDone; level++)
        {
            if (level == TreePath.MaxDepth)
            {
                Throw.TooDeep(root, lookups[0].Page);
            }

            foreach (ref LookupStep lookup in lookups)
            {
                if (lookup.Page != default)
                {
                    lookup.Read(source, snapshot);
                }
            }

            for (int i = 0; i < lookups.Length; i++)
            {
                if (lookups[i].Page != default)
                {
                    lookups[i].SearchHead(keys[i].Span);
                }
            }

            isDone = true;
            for (int i = 0; i < lookups.Length; i++)
            {
                ref LookupStep lookup = ref lookups[i];
                if (lookup.Page != default)
                {
                    lookup.Page = lookup.Kind == PageKind.Branch
                        ? lookup.Child(keys[i].Span)
                        : LookUp(lookup, keys[i], ref found[i]);
                    if (lookup.Page != default)
                    {
                        source.Request(lookup.Page);
                        isDone = false;
                    }
                }
            }
        }
    }

    /// <summary>Searches for the key in a leaf. Returns 0, which ends the lookup.</summary>
    private static PageNumber LookUp(in LookupStep lookup, ReadOnlyMemory<byte> key, ref FoundValue found)
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
}
