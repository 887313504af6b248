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
                Span<byte> block = Writer.Own(_appendPage, _appendBlock);
                FixedEdit.Append(block, tree.Shape, _appendCount++, _appendCapacity, key, value);
                redo.NotePair(index, key, value);
                Appended(index, key, 1);
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
        Appended(index, key, 1);
        return true;
    }

    /// <summary>
    /// Inserts entries above all others, given as columns in ascending order; returns false and changes nothing if the first is not.
    /// </summary>
    internal bool TryAppendColumns(int index, ReadOnlySpan<byte> keys, ReadOnlySpan<byte> values)
    {
        TreeShape shape = open[index].Shape;
        Span<byte> first = stackalloc byte[FixedKey.MostBytes];
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        first = first[..shape.KeyBytes];
        ordered = ordered[..shape.KeyBytes];
        while (keys.Length > 0)
        {
            // Finds the block, or begins the next one.
            keys[..shape.KeyBytes].CopyTo(first);
            FixedKey.Normalize(shape.KeyKind, first);
            FixedKey.ToOrdered(shape.KeyKind, first, ordered);
            if (!TryAppend(index, ordered, values[..shape.ValueBytes]))
            {
                return false;
            }

            keys = keys[shape.KeyBytes..];
            values = values[shape.ValueBytes..];
            int added = Math.Min(_appendCapacity - _appendCount, keys.Length / shape.KeyBytes);
            if (added > 0)
            {
                FillBlock(index, shape, keys[..(added * shape.KeyBytes)], values[..(added * shape.ValueBytes)], ordered);
                keys = keys[(added * shape.KeyBytes)..];
                values = values[(added * shape.ValueBytes)..];
            }
        }

        return true;
    }

    /// <summary>Adds entries to the block of the last append, which has places for them.</summary>
    private void FillBlock(int index, TreeShape shape, ReadOnlySpan<byte> keys, ReadOnlySpan<byte> values, Span<byte> ordered)
    {
        Span<byte> block = Writer.Own(_appendPage, _appendBlock);
        keys = FixedEdit.AppendColumns(block, shape, _appendCount, _appendCapacity, keys, values);
        int added = keys.Length / shape.KeyBytes;
        for (int entry = 0; entry < added; entry++)
        {
            FixedKey.ToOrdered(shape.KeyKind, keys[(entry * shape.KeyBytes)..], ordered);
            redo.NotePair(index, ordered, values.Slice(entry * shape.ValueBytes, shape.ValueBytes));
        }

        _appendCount += added;
        Appended(index, ordered, added);
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

    private void Appended(int index, ReadOnlySpan<byte> key, int added)
    {
        key.CopyTo(_last);
        _appendVersion = open[index].Version + 1;
        Changed(index, added);
    }

    private void Changed(int index, long added)
    {
        ref OpenTree tree = ref open[index];
        tree.Version++;
        tree.Grew(added);
        changes.SendFragmentIfLong();
    }
}
