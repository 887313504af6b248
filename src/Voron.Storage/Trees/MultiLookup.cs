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
        PageSource source, long snapshot, long root, ReadOnlySpan<ReadOnlyMemory<byte>> keys, ref LookupGroup found)
    {
        Span<Descent> descents = stackalloc Descent[LookupGroup.Count];
        descents = descents[..keys.Length];
        foreach (ref Descent descent in descents)
        {
            descent.Page = root;
        }

        bool isDone = false;
        for (int level = 0; !isDone; level++)
        {
            CheckDepth(level, root, descents);
            Read(source, snapshot, descents);
            SearchHeads(source.PageBytes, keys, descents);
            isDone = true;
            for (int i = 0; i < descents.Length; i++)
            {
                ref Descent descent = ref descents[i];
                if (descent.Page != 0)
                {
                    descent.Page = descent.Kind == PageKind.Branch
                        ? Child(source.PageBytes, descent, keys[i])
                        : LookUp(source.PageBytes, descent, keys[i], ref found[i]);
                    isDone &= descent.Page == 0;
                }
            }
        }
    }

    private static void Read(PageSource source, long snapshot, Span<Descent> descents)
    {
        foreach (ref Descent descent in descents)
        {
            if (descent.Page != 0)
            {
                descent.View = source.Read(descent.Page, snapshot);
                NodeSearch.PrefetchSlots(descent.View, source.PageBytes);
            }
        }
    }

    private static void SearchHeads(int pageBytes, ReadOnlySpan<ReadOnlyMemory<byte>> keys, Span<Descent> descents)
    {
        for (int i = 0; i < descents.Length; i++)
        {
            ref Descent descent = ref descents[i];
            if (descent.Page != 0)
            {
                descent.Kind = NodeSearch.Enter(descent.View, pageBytes, descent.Page);
                int low = NodeSearch.FindHead(descent.View, pageBytes, descent.Kind, keys[i].Span, out descent.IsTied);
                descent.Index = low;
                NodeSearch.PrefetchEntry(descent.View, descent.Kind == PageKind.Branch && !descent.IsTied ? low - 1 : low);
            }
        }
    }

    /// <summary>Returns the child that leads to the key.</summary>
    private static long Child(int pageBytes, in Descent descent, ReadOnlyMemory<byte> key)
    {
        int index = descent.IsTied
            ? NodeSearch.SettleInBranch(descent.View, pageBytes, descent.Page, key.Span, descent.Index)
            : descent.Index - 1;
        return NodeSearch.Child(descent.View, pageBytes, descent.Page, index);
    }

    /// <summary>Searches for the key in a leaf. Returns 0, which ends the descent.</summary>
    private static long LookUp(int pageBytes, in Descent descent, ReadOnlyMemory<byte> key, ref FoundValue found)
    {
        found = default;
        if (descent.IsTied)
        {
            int index = NodeSearch.SettleInLeaf(
                descent.View, pageBytes, descent.Page, key.Span, descent.Index, out bool exact);
            if (exact)
            {
                bool isOverflow = NodeSearch.IsOverflow(
                    descent.View, pageBytes, descent.Page, index, out ReadOnlySpan<byte> stored);
                found.Set(stored, isOverflow);
            }
        }

        return 0;
    }

    private static void CheckDepth(int level, long root, ReadOnlySpan<Descent> descents)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, descents[0].Page);
        }
    }

    /// <summary>The state of the search for one key.</summary>
    private struct Descent
    {
        /// <summary>The current node; 0 if the search is finished.</summary>
        internal long Page;
        internal PageView View;
        internal PageKind Kind;
        internal int Index;
        internal bool IsTied;
    }
}
