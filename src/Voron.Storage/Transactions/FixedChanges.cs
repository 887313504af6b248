using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Structures;

namespace Voron.Storage.Transactions;

/// <summary>
/// A write transaction's changes to fixed-size trees: each is written to the redo and made at once. Keys are in their ordered form. The
/// caller checks the arguments.
/// </summary>
internal sealed class FixedChanges(TreeChanges changes, PageWriter pages, TransactionRedo redo, OpenTreeTable open)
{
    private const int NoTree = -1;

    private readonly byte[] _last = new byte[FixedKey.MostBytes];
    private FixedWriter? _writer;

    /// <summary>
    /// The tree of the last append, its version since, and its last block: the next append writes there, without a descent, if the tree is
    /// as it was then.
    /// </summary>
    private int _appendTree = NoTree;
    private int _appendVersion;
    private PageNumber _appendPage;
    private int _appendBlock;
    private int _appendCount;
    private int _appendCapacity;

    private FixedWriter Writer => _writer ??= new FixedWriter(pages);

    /// <summary>Forgets the place of the last append, because pages change in another way than by changes of the tree.</summary>
    internal void Forget() => _appendTree = NoTree;

    /// <summary>Inserts or replaces an entry.</summary>
    internal void Put(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (Find(index, key))
        {
            redo.NotePair(index, key, value);
            Writer.SetFound(value);
            Changed(index, 0);
        }
        else
        {
            AddFound(index, key, value);
        }
    }

    /// <summary>Inserts an entry; returns false and changes nothing if the key exists.</summary>
    internal bool Add(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (Find(index, key))
        {
            return false;
        }

        AddFound(index, key, value);
        return true;
    }

    /// <summary>Inserts an entry above all others; returns false and changes nothing if it is not.</summary>
    internal bool TryAppend(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        changes.PutReserved();
        ref OpenTree tree = ref open[index];
        if (_appendTree == index && _appendVersion == tree.Version)
        {
            if (key.SequenceCompareTo(_last.AsSpan(0, key.Length)) <= 0)
            {
                return false;
            }

            if (_appendCount < _appendCapacity)
            {
                Writer.AddTo(_appendPage, _appendBlock, tree.Shape, _appendCount++, _appendCapacity, key, value);
                redo.NotePair(index, key, value);
                Appended(index, key);
                return true;
            }
        }

        if (Find(index, key) || !Writer.IsAboveAll)
        {
            return false;
        }

        redo.NotePair(index, key, value);
        Writer.AddFound(value);
        _appendTree = index;
        _appendPage = Writer.LeafPage;
        _appendBlock = Writer.Block;
        _appendCount = Writer.CountOf(out _appendCapacity);
        Appended(index, key);
        return true;
    }

    /// <summary>Deletes an entry; returns false and changes nothing if the key does not exist.</summary>
    internal bool Delete(int index, ReadOnlySpan<byte> key)
    {
        if (!Find(index, key))
        {
            return false;
        }

        redo.Delete(index, key);
        Writer.DeleteFound();
        Changed(index, -1);
        return true;
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to, as one redo operation. Returns their number.</summary>
    internal long DeleteRange(int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        changes.PutReserved();
        ref OpenTree tree = ref open[index];
        long count = FixedReader.CountBetween(pages.Source, pages.TransactionId, tree.Root, tree.Shape, from, to);
        if (count > 0)
        {
            redo.DeleteRange(index, from, to);
            Writer.DeleteRange(tree.Root, tree.Shape, from, to);
            Changed(index, -count);
        }

        return count;
    }

    private bool Find(int index, ReadOnlySpan<byte> key)
    {
        changes.PutReserved();
        ref OpenTree tree = ref open[index];
        return Writer.Find(tree.Root, tree.Shape, key);
    }

    private void AddFound(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        redo.NotePair(index, key, value);
        Writer.AddFound(value);
        Changed(index, 1);
    }

    private void Appended(int index, ReadOnlySpan<byte> key)
    {
        key.CopyTo(_last);
        _appendVersion = open[index].Version + 1;
        Changed(index, 1);
    }

    private void Changed(int index, long added)
    {
        ref OpenTree tree = ref open[index];
        tree.Version++;
        tree.Grew(added);
        changes.SendFragmentIfLong();
    }
}
