// Unsafe fence. Bounds: as in TreeWriter.cs.
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Trees;

/// <content>
/// Deferred puts. The leaf found when they were verified is usually still correct; if its keys have moved, the put descends from the root.
/// </content>
internal sealed unsafe partial class TreeWriter
{
    /// <summary>Sentinel: too many leaves have moved keys to track; treat every leaf as moved.</summary>
    private const long AllLeaves = -1;

    /// <summary>Puts that are searched side by side; each waits for a few lines of memory at a time.</summary>
    private const int SearchesAtOnce = 32;

    private readonly long[] _moved = new long[32];
    private int _movedCount;

    /// <summary>Starts to track the leaves whose keys move to other leaves.</summary>
    internal void BeginNotes() => _movedCount = 0;

    /// <summary>Returns the level of the tree's leaves: the number of branches above a leaf.</summary>
    internal int LeafLevel(PageNumber root, ReadOnlySpan<byte> key) => Find(root, key, out _, out _);

    /// <summary>
    /// Finds the leaf of each put into one tree without searching the leaf, and verifies the leaves that are read from the data file.
    /// Descends level by level for all puts.
    /// </summary>
    internal void FindLeaves(Span<DeferredPut> puts, ReadOnlySpan<byte> notes, PageNumber root, int leafLevel)
    {
        foreach (ref DeferredPut put in puts)
        {
            put.Leaf = root;
        }

        for (int level = 0; level < leafLevel; level++)
        {
            for (int first = 0; first < puts.Length; first += SearchesAtOnce)
            {
                Descend(puts.Slice(first, Math.Min(SearchesAtOnce, puts.Length - first)), notes);
            }
        }

        foreach (ref readonly DeferredPut put in puts)
        {
            _pages.Source.Verify(put.Leaf);
        }
    }

    /// <summary>
    /// Goes from branches to their children for a few puts: in rounds, each of which asks for the memory that the next one reads. So a
    /// round waits for memory once, and not once for each put.
    /// </summary>
    private void Descend(Span<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        Span<BranchSearch> searches = stackalloc BranchSearch[SearchesAtOnce];
        searches = searches[..puts.Length];
        for (int i = 0; i < searches.Length; i++)
        {
            searches[i].Branch = new Node(_pages.Read(puts[i].Leaf), _pages.PageBytes, puts[i].Leaf);
            searches[i].Branch.PrefetchEnds();
        }

        foreach (ref readonly BranchSearch search in searches)
        {
            search.Branch.CheckHeader();
            search.Branch.PrefetchMiddles();
        }

        for (int i = 0; i < searches.Length; i++)
        {
            ref BranchSearch search = ref searches[i];
            search.Index = NodeSearch.FindHead(search.Branch, PageKind.Branch, puts[i].Key(notes), out search.IsTied);
            search.Branch.PrefetchChild(search.IsTied ? search.Index : search.Index - 1);
        }

        for (int i = 0; i < searches.Length; i++)
        {
            ref readonly BranchSearch search = ref searches[i];
            int child = search.IsTied ? NodeSearch.SettleInBranch(search.Branch, puts[i].Key(notes), search.Index) : search.Index - 1;
            puts[i].Leaf = search.Branch.Child(child);
            _pages.Source.ReadAhead(puts[i].Leaf);
            CacheLine.Fetch(_pages.Source.Versions.Head(puts[i].Leaf));
        }
    }

    /// <summary>Searches the leaf that was found for a key. Returns false if keys have since left it.</summary>
    internal bool TryFindAt(PageNumber page, ReadOnlySpan<byte> key, out bool exists, out ReadOnlySpan<byte> stored, out bool isLong)
    {
        exists = false;
        isLong = false;
        stored = default;
        if (HasMoved(page))
        {
            return false;
        }

        Node leaf = Node.Read(_pages, page);
        int index = NodeSearch.FindInLeaf(leaf, key, out exists);
        isLong = exists && leaf.IsOverflow(index, out stored);
        return true;
    }

    /// <summary>
    /// Applies a put to the leaf that was found for it. Returns false if keys have since left it, if it has no room without a rebuild, or
    /// if a value has pages of its own; at most an unchanged private version of the leaf was made.
    /// </summary>
    internal bool TryPutAt(PageNumber page, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out bool added)
    {
        added = false;
        if (FlagOf(key.Length, value.Length) != 0 || HasMoved(page))
        {
            return false;
        }

        Forget();
        Node leaf = Node.Read(_pages, page);
        int index = NodeSearch.FindInLeaf(leaf, key, out bool exists);
        added = !exists;
        if (exists && leaf.IsOverflow(index, out _))
        {
            return false;
        }

        NodeEdit node = NodeEdit.Open(_pages, page);
        byte* target = exists
            ? node.TryReplace(index, value.Length, 0)
            : node.TryInsert(index, key, Node.LeafHeadBytes, value.Length, 0);
        if (target == null)
        {
            return false;
        }

        value.CopyTo(new Span<byte>(target, value.Length));
        return true;
    }

    private void NoteMoved(PageNumber leaf)
    {
        if (_movedCount == _moved.Length || leaf == PageNumber.None)
        {
            _moved[0] = AllLeaves;
            _movedCount = 1;
        }
        else if (_movedCount == 0 || _moved[0] != AllLeaves)
        {
            _moved[_movedCount++] = leaf.Value;
        }
    }

    private bool HasMoved(PageNumber leaf) => _movedCount > 0 && _moved.AsSpan(0, _movedCount).ContainsAny(AllLeaves, leaf.Value);

    /// <summary>The search of one put in one branch.</summary>
    private struct BranchSearch
    {
        internal Node Branch;
        internal int Index;
        internal bool IsTied;
    }
}
