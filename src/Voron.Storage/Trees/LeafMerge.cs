// Unsafe fence. Bounds: addresses come from NodeEdit and are written only within the payload length that was requested.
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Moves pending entries to the leaves of their tree, those of all layers merged, in key order: a leaf is found and changed once for all
/// that it gets.
/// </summary>
/// <param name="pages">The pages of the transaction.</param>
/// <param name="below">Changes the tree where an entry does not fit its leaf.</param>
/// <param name="above">Changes the layers of the pending tree.</param>
internal sealed unsafe class LeafMerge(PageWriter pages, TreeWriter below, TreeWriter above)
{
    private const int NotFound = -1;

    /// <summary>
    /// How many leaves before the last one that was changed may still get entries of the next: a leaf that is divided becomes two or three.
    /// </summary>
    private const int LeavesToFill = 3;

    private readonly LayerRows _rows = new();
    private readonly TreeBalance _balance = new(pages);
    private readonly byte[] _last = new byte[below.MaxKeyBytes + 1];
    private TreePath _path;
    private LeafReadAhead _ahead;

    /// <summary>Level of the leaf at the end of the path, which has the key before this one; or that there is none.</summary>
    private int _level;

    /// <summary>How many more keys the leaves have by the entries that were moved.</summary>
    private int _added;

    /// <summary>
    /// Moves pending entries to the leaves, in key order from a key on, as many as asked for if there are as many. An entry that cannot be
    /// moved, because what is on the way to its leaf is damaged, stays pending and ends the call.
    /// </summary>
    /// <param name="root">The tree.</param>
    /// <param name="pending">Its pending tree.</param>
    /// <param name="from">The key to begin with.</param>
    /// <param name="entries">How many entries to move.</param>
    /// <param name="next">Gets a key above all of the entries and below all others.</param>
    internal MergeResult Some(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, int entries, byte[] next) =>
        Move(root, pending, from, default, entries, next, isLenient: true);

    /// <summary>
    /// Moves all pending entries with from ≤ key &lt; to to the leaves; all from a key on if there is no end. Returns how many more keys
    /// the leaves have by it.
    /// </summary>
    internal int All(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) =>
        Move(root, pending, from, to, int.MaxValue, _last, isLenient: false).Added;

    private MergeResult Move(
        PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, int most, byte[] next, bool isLenient)
    {
        pages.Space.KeepsOffDisk = true;
        try
        {
            return MoveRows(root, pending, from, to, most, next, isLenient);
        }
        finally
        {
            pages.Space.KeepsOffDisk = false;
        }
    }

    private MergeResult MoveRows(
        PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, int most, byte[] next, bool isLenient)
    {
        StorageException? damage = null;
        int moved = 0;
        int nextBytes = 0;
        _level = NotFound;
        _added = 0;
        below.Forget();
        _rows.Begin(pages.Source, pages.TransactionId, pending);
        bool has = _rows.Seek(from);
        _rows.ReadAhead(pages.Source, pages.TransactionId);
        for (; has && moved < most && damage is null; has = _rows.Move(forward: true))
        {
            ReadOnlySpan<byte> key = _rows.Key;
            if (!to.IsEmpty && key.SequenceCompareTo(to) >= 0)
            {
                has = false;
                break;
            }

            key.CopyTo(next);
            nextBytes = key.Length;
            try
            {
                Apply(root, next.AsSpan(0, nextBytes), _rows.Stored);
                moved++;
            }
            catch (StorageException error) when (isLenient && error.IsOfDamage)
            {
                damage = error;
            }
        }

        _rows.End();
        next[nextBytes] = 0;
        for (int i = 0; i < pending.Count && moved > 0; i++)
        {
            // The entry that stays is the last one that was read.
            above.DeleteRange(pending[i], from, next.AsSpan(0, damage is null ? nextBytes + 1 : nextBytes), mayBeSparse: true);
        }

        return new MergeResult(moved, _added, has ? nextBytes + 1 : 0, damage);
    }

    private void Apply(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> stored)
    {
        if (_level == NotFound || !IsInLeaf(key, out Node leaf, out bool exists))
        {
            FillLeaves();
            _level = NotFound;
            _level = TreePath.Descend(ref _path, pages.Source, pages.TransactionId, root, key, out leaf, out exists);
            ReadAhead();
        }

        if (PendingEntry.IsDeleted(stored))
        {
            if (exists)
            {
                MoveLeaf(leaf);
                _level = NotFound;
                below.Delete(root, key);
                _added--;
            }

            return;
        }

        MoveLeaf(leaf);
        ReadOnlySpan<byte> value = PendingEntry.ValueOf(stored);
        byte* target = TryPlace(key, value.Length, exists);
        if (target == null)
        {
            _level = NotFound;
            below.Put(root, key, value);
        }
        else
        {
            value.CopyTo(new Span<byte>(target, value.Length));
        }

        _added += exists ? 0 : 1;
    }

    /// <summary>Asks for the leaves behind the one at the end of the path, which get the next entries.</summary>
    private void ReadAhead()
    {
        if (_level > 0 && pages.Source.Mapped.IsCold)
        {
            TreePath.PathStep parent = _path[_level - 1];
            CursorLevel branch = new() { Node = Node.Read(pages, parent.Page), Index = parent.Index };
            _ahead.Step(pages.Source, pages.TransactionId, branch, forward: true);
        }
    }

    /// <summary>
    /// The leaf at the end of the path has got its entries: fills those before it with what comes first in the next ones. So a round
    /// writes full leaves, and the fewer a tree has, the more entries each of them gets in the next round. Leaves that nothing else has
    /// changed stay as they are.
    /// </summary>
    private void FillLeaves()
    {
        int right = _level > 0 ? _path[_level - 1].Index : 0;
        for (int left = Math.Max(0, right - LeavesToFill); left < right; left++)
        {
            if (IsChanged(left) && IsChanged(left + 1) && _balance.Fill(ref _path, _level, left))
            {
                left--;
                right--;
            }
        }
    }

    /// <summary>Whether a leaf beside that at the end of the path is to be written anyhow.</summary>
    private bool IsChanged(int index)
    {
        PageNumber leaf = Node.Read(pages, _path[_level - 1].Page).Child(index);
        return pages.Source.Versions.Newest(leaf) != null;
    }

    /// <summary>
    /// Whether the leaf at the end of the path, which has a key below this one, also has one that is not: so this one belongs there.
    /// </summary>
    private bool IsInLeaf(ReadOnlySpan<byte> key, out Node leaf, out bool exists)
    {
        leaf = Node.Read(pages, _path[_level].Page);
        int index = NodeSearch.FindInLeaf(leaf, key, out exists);
        _path[_level] = new TreePath.PathStep(leaf, index);
        return index < leaf.Count;
    }

    /// <summary>Returns the address for a value; null if the leaf must be rebuilt or divided, or the old value is elsewhere.</summary>
    private byte* TryPlace(ReadOnlySpan<byte> key, int valueBytes, bool exists)
    {
        (PageNumber page, int index) = (_path[_level].Page, _path[_level].Index);
        if (!exists)
        {
            return NodeEdit.Open(pages, page).TryInsert(index, key, Node.LeafHeadBytes, valueBytes, 0);
        }

        return Node.Read(pages, page).IsOverflow(index, out _) ? null : NodeEdit.Open(pages, page).TryReplace(index, valueBytes, 0);
    }

    /// <summary>
    /// Gives a leaf that is about to change, and whose content is in the data file, another place there: written once, where a page that
    /// keeps its place is written twice, because the last checkpoint needs it as it is.
    /// </summary>
    private void MoveLeaf(in Node leaf)
    {
        PageNumber page = _path[_level].Page;
        if (_level == 0 || pages.Source.Versions.Newest(page) != null)
        {
            return;
        }

        NodeEdit moved = NodeEdit.Create(pages, PageKind.Leaf, inMemory: false);
        moved.BecomeCopyOf(leaf);
        NodeEdit.Open(pages, _path[_level - 1].Page).ReplaceChild(_path[_level - 1].Index, moved.Page);
        pages.Free(page);
        _path[_level].Page = moved.Page;
    }
}
