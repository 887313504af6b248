// Unsafe fence. Bounds: as in Node.cs; what is prefetched is not read.
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>
/// Finds the leaf of each put into one tree without searching the leaf, and verifies the leaves that are read from the data file. Descends
/// level by level for all puts, and in each level in rounds for some of them: a round asks for the memory that the next one reads. So it
/// waits for memory once, and not once for each put.
/// </summary>
internal static unsafe class LeafSearch
{
    /// <summary>Puts that are searched side by side.</summary>
    private const int SearchesAtOnce = 32;

    /// <summary>Finds the leaves of puts.</summary>
    /// <param name="pages">The pages as the transaction sees them.</param>
    /// <param name="puts">The puts, which get their leaves.</param>
    /// <param name="notes">Their keys.</param>
    /// <param name="root">The root of the tree.</param>
    /// <param name="leafLevel">The number of branches above a leaf.</param>
    internal static void Find(PageWriter pages, Span<DeferredPut> puts, ReadOnlySpan<byte> notes, PageNumber root, int leafLevel)
    {
        foreach (ref DeferredPut put in puts)
        {
            put.Leaf = root;
        }

        for (int level = 0; level < leafLevel; level++)
        {
            for (int first = 0; first < puts.Length; first += SearchesAtOnce)
            {
                Descend(pages, puts.Slice(first, Math.Min(SearchesAtOnce, puts.Length - first)), notes);
            }
        }

        foreach (ref readonly DeferredPut put in puts)
        {
            pages.Source.Verify(put.Leaf);
        }
    }

    /// <summary>Goes from branches to their children.</summary>
    private static void Descend(PageWriter pages, Span<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        Span<Search> searches = stackalloc Search[SearchesAtOnce];
        searches = searches[..puts.Length];
        for (int i = 0; i < searches.Length; i++)
        {
            searches[i].Branch = new Node(pages.Read(puts[i].Leaf), pages.PageBytes, puts[i].Leaf);
            searches[i].Branch.PrefetchEnds();
        }

        foreach (ref readonly Search search in searches)
        {
            search.Branch.CheckHeader();
            search.Branch.PrefetchMiddles();
        }

        for (int i = 0; i < searches.Length; i++)
        {
            ref Search search = ref searches[i];
            search.Index = NodeSearch.FindHead(search.Branch, PageKind.Branch, puts[i].Key(notes), out search.IsTied);
            search.Branch.PrefetchChild(search.IsTied ? search.Index : search.Index - 1);
        }

        for (int i = 0; i < searches.Length; i++)
        {
            ref readonly Search search = ref searches[i];
            int child = search.IsTied ? NodeSearch.SettleInBranch(search.Branch, puts[i].Key(notes), search.Index) : search.Index - 1;
            puts[i].Leaf = search.Branch.Child(child);
            pages.Source.Request(puts[i].Leaf);
            CacheLine.Fetch(pages.Source.Versions.Head(puts[i].Leaf));
        }
    }

    /// <summary>The search of one put in one branch.</summary>
    private struct Search
    {
        internal Node Branch;
        internal int Index;
        internal bool IsTied;
    }
}
