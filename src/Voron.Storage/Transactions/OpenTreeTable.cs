using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <summary>
/// The trees opened in the current write transaction, found by name. Its arrays are reused from transaction to transaction.
/// </summary>
internal sealed class OpenTreeTable
{
    private readonly List<OpenTree> _trees = [];
    private readonly List<byte> _names = [];

    /// <summary>Copies of the trees at each savepoint, in order of the savepoints.</summary>
    private readonly List<OpenTree> _kept = [];
    private readonly SavepointStack<Mark> _marks = new();

    internal int Count => _trees.Count;

    internal ref OpenTree this[int index] => ref CollectionsMarshal.AsSpan(_trees)[index];

    /// <summary>Returns a tree; throws if it was dropped, or if another thread has just ended the transaction.</summary>
    internal ref OpenTree Living(int index)
    {
        if (index >= _trees.Count)
        {
            Throw.TransactionEnded();
        }

        ref OpenTree tree = ref this[index];
        if (tree.Dropped)
        {
            Throw.TreeDropped();
        }

        return ref tree;
    }

    internal ReadOnlySpan<byte> NameOf(int index)
    {
        ref OpenTree tree = ref this[index];
        return CollectionsMarshal.AsSpan(_names).Slice(tree.NameOffset, tree.NameLength);
    }

    internal int Find(ReadOnlySpan<byte> name)
    {
        for (int i = 0; i < _trees.Count; i++)
        {
            if (!this[i].Dropped && NameOf(i).SequenceEqual(name))
            {
                return i;
            }
        }

        return -1;
    }

    internal int Add(ReadOnlySpan<byte> name, in TreeRecord record, bool isNew = false)
    {
        _trees.Add(new OpenTree
        {
            NameOffset = _names.Count,
            NameLength = name.Length,
            FirstNameOffset = _names.Count,
            FirstNameLength = name.Length,
            Shape = record.Shape,
            Root = record.RootPage,
            Count = record.EntryCount,
            FirstCount = record.EntryCount,
            IsNew = isNew,
        });
        _names.AddRange(name);
        return _trees.Count - 1;
    }

    internal void Rename(int index, ReadOnlySpan<byte> newName)
    {
        ref OpenTree tree = ref this[index];
        tree.NameOffset = _names.Count;
        tree.NameLength = newName.Length;
        _names.AddRange(newName);
    }

    internal void CreateSavepoint()
    {
        _marks.Create(new Mark(_kept.Count, _trees.Count));
        _kept.AddRange(_trees);
    }

    /// <summary>
    /// Restores all trees to their state at a savepoint, which remains valid. A tree opened after it returns to its state when opened, or
    /// counts as dropped if it was created then. Indexes do not change.
    /// </summary>
    internal void RollbackTo(int depth)
    {
        Mark mark = _marks.RollbackTo(depth);
        for (int i = 0; i < _trees.Count; i++)
        {
            ref OpenTree tree = ref this[i];
            int version = tree.Version + 1;
            if (i < mark.Trees)
            {
                tree = _kept[mark.Kept + i];
            }
            else
            {
                tree.NameOffset = tree.FirstNameOffset;
                tree.NameLength = tree.FirstNameLength;
                tree.Count = tree.FirstCount;
                tree.CountChanged = false;
                tree.Dropped = tree.IsNew;
            }

            tree.Version = version;
        }

        Forget(mark.Kept + mark.Trees);
    }

    internal void Release(int depth) => Forget(_marks.Release(depth).Kept);

    internal void Clear()
    {
        _trees.Clear();
        _names.Clear();
        _kept.Clear();
        _marks.Clear();
    }

    private void Forget(int kept) => _kept.RemoveRange(kept, _kept.Count - kept);

    /// <param name="Kept">Index in <see cref="_kept"/> of the savepoint's first tree.</param>
    /// <param name="Trees">Number of the savepoint's trees.</param>
    private readonly record struct Mark(int Kept, int Trees);
}
