// Unsafe fence. Bounds: as in TreeWriter.cs.
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <content>Appends: entries that arrive in ascending order.</content>
internal sealed unsafe partial class TreeWriter
{
    /// <summary>If not 0, the root of the tree whose last leaf, the target of the last append, is at the end of the path.</summary>
    private PageNumber _appendRoot;
    private int _appendLevel;

    /// <summary>Forgets the position of the last append, because the transaction ends or the tree changes in another way.</summary>
    internal void Forget() => _appendRoot = default;

    /// <summary>
    /// Returns whether a key is above all others, so that it can be appended. Reads only pages that a put of the key would also read.
    /// </summary>
    internal bool IsAboveAll(PageNumber root, ReadOnlySpan<byte> key)
    {
        if (_appendRoot == root)
        {
            Node last = Node.Read(_pages, _path[_appendLevel].Page);
            int index = NodeSearch.FindInLeaf(last, key, out bool isThere);
            return index == last.Count && !isThere;
        }

        int leafLevel = Find(root, key, out _, out bool exists);
        bool isLast = !exists && IsBehindAll(leafLevel);
        if (isLast)
        {
            _appendRoot = root;
            _appendLevel = leafLevel;
        }

        return isLast;
    }

    /// <summary>
    /// Inserts ascending entries, the first of which is above all keys of the tree. Fills the last leaf, then builds as many further leaves
    /// as needed, each as full as possible; the branches above them grow at their ends.
    /// </summary>
    internal void AppendRun(PageNumber root, ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        int steps = 0;
        while (true)
        {
            int level = FindEnd(root);
            PageNumber page = _path[level].Page;
            int taken = FillLeaf(page, puts, notes);
            puts = puts[taken..];
            if (puts.IsEmpty)
            {
                _appendRoot = root;
                _appendLevel = level;
                return;
            }

            steps = taken > 0 ? 0 : steps + 1;
            if (steps == TreeSplit.MostSteps)
            {
                Throw.NoProgress(root, page);
            }

            _movedLeaves.Add(page); // Deferred puts that were assigned to this leaf may now belong to the leaf after it.
            Forget();
            ref readonly DeferredPut next = ref puts[0];
            int entryBytes = Node.LeafHeadBytes + PayloadBytes(next.ValueLength, FlagOf(next.KeyLength, next.ValueLength));
            int count = Node.Read(_pages, page).Count;
            _split.MakeRoom(ref _path, level, count, next.Key(notes), entryBytes, append: true);
        }
    }

    /// <summary>Appends as many of the entries as the last leaf has room for, and returns their number.</summary>
    private int FillLeaf(PageNumber page, ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        NodeEdit leaf = NodeEdit.Open(_pages, page);
        int taken = leaf.Count == 0 ? leaf.TakeNoted(puts, notes) : 0;
        for (; taken < puts.Length; taken++)
        {
            ReadOnlySpan<byte> key = puts[taken].Key(notes);
            ReadOnlySpan<byte> value = puts[taken].Value(notes);
            int flag = FlagOf(key.Length, value.Length);
            int payloadBytes = PayloadBytes(value.Length, flag);
            byte* target = leaf.TryInsert(leaf.Count, key, Node.LeafHeadBytes, payloadBytes, flag);
            if (target == null && leaf.EnsureRoom(leaf.Count, key, Node.LeafHeadBytes, payloadBytes))
            {
                target = leaf.TryInsert(leaf.Count, key, Node.LeafHeadBytes, payloadBytes, flag);
            }

            if (target == null)
            {
                break;
            }

            Payload(value, flag).CopyTo(new Span<byte>(target, payloadBytes));
        }

        return taken;
    }

    /// <summary>Moves the path to the last leaf: that of the last append, or by descending from the root. Returns its level.</summary>
    private int FindEnd(PageNumber root) =>
        _appendRoot == root ? _appendLevel : TreePath.DescendToEnd(ref _path, _pages.Source, _pages.TransactionId, root);
}
