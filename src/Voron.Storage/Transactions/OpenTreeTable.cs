using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// The trees opened in the present write transaction, found by name. Its arrays are reused from transaction to transaction.
/// </summary>
internal sealed class OpenTreeTable
{
    private readonly List<OpenTree> _trees = [];
    private readonly List<byte> _names = [];

    /// <summary>What the trees were like at the savepoints, one behind the other.</summary>
    private readonly List<OpenTree> _kept = [];
    private readonly List<Mark> _marks = [];

    internal int Savepoints => _marks.Count;

    internal int Count => _trees.Count;

    internal ref OpenTree this[int index] => ref CollectionsMarshal.AsSpan(_trees)[index];

    /// <summary>A tree that was not dropped, or an exception.</summary>
    internal ref OpenTree Living(int index)
    {
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
            Kind = record.Kind,
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
        _marks.Add(new Mark(_kept.Count, _trees.Count));
        _kept.AddRange(_trees);
    }

    /// <summary>
    /// All trees are again what they were at a savepoint, which stays. One that was opened behind it is what it was then, or, when it is
    /// new, as good as dropped. Indexes stay what they are.
    /// </summary>
    internal void RollbackTo(int depth)
    {
        Mark mark = _marks[depth];
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

        Forget(depth + 1, mark.Kept + mark.Trees);
    }

    internal void Release(int depth) => Forget(depth, _marks[depth].Kept);

    internal void Clear()
    {
        _trees.Clear();
        _names.Clear();
        _kept.Clear();
        _marks.Clear();
    }

    private void Forget(int depth, int kept)
    {
        _marks.RemoveRange(depth, _marks.Count - depth);
        _kept.RemoveRange(kept, _kept.Count - kept);
    }

    /// <param name="Kept">Where the trees of a savepoint begin among the kept ones.</param>
    /// <param name="Trees">How many they are.</param>
    private readonly record struct Mark(int Kept, int Trees);
}
