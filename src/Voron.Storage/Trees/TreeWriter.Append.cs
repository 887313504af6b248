using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <content>Entries that come in ascending order.</content>
internal sealed partial class TreeWriter
{
    /// <summary>While not 0: the path leads to the last leaf of this tree, where the last append went.</summary>
    private long _appendRoot;
    private int _appendLevel;

    /// <summary>The transaction ends or the tree changes otherwise: where the last append stood is forgotten.</summary>
    internal void Forget() => _appendRoot = 0;

    /// <summary>
    /// Inserts behind the last entry; false, with nothing changed, when the key is not above it. One append after the other goes to the
    /// same leaf without a search for it.
    /// </summary>
    internal bool TryAppend(long root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckKey(key);
        int level = FindEnd(root, out PageView leaf);
        long page = _path[level].Page;
        int count = NodeSearch.Count(leaf);
        if (NodeSearch.FindInLeaf(leaf, _pages.PageBytes, page, key, out bool exists) != count || exists)
        {
            return false;
        }

        _path[level].Index = count;
        _path[level].Count = count;
        _appendRoot = root;
        _appendLevel = level;
        Place(root, level, leaf, exists: false, key, value);
        return true;
    }

    /// <summary>Goes to the last leaf: that of the last append, or from the root. Returns its level.</summary>
    private int FindEnd(long root, out PageView leaf)
    {
        if (_appendRoot == root)
        {
            leaf = _pages.Read(_path[_appendLevel].Page);
            return _appendLevel;
        }

        int pageBytes = _pages.PageBytes;
        long page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            leaf = _pages.Read(page);
            PageKind kind = NodeSearch.Enter(leaf, pageBytes, page);
            _path[level].Page = page;
            _path[level].Count = NodeSearch.Count(leaf);
            if (kind == PageKind.Leaf)
            {
                return level;
            }

            _path[level].Index = _path[level].Count - 1;
            page = NodeSearch.Child(leaf, pageBytes, page, _path[level].Index);
        }

        Throw.TooDeep(root, page);
        leaf = default;
        return 0;
    }
}
