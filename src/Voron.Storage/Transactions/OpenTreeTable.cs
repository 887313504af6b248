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

    internal int Add(ReadOnlySpan<byte> name, in TreeRecord record)
    {
        _trees.Add(new OpenTree
        {
            NameOffset = _names.Count,
            NameLength = name.Length,
            Kind = record.Kind,
            Root = record.RootPage,
            Count = record.EntryCount,
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

    internal void Clear()
    {
        _trees.Clear();
        _names.Clear();
    }
}
