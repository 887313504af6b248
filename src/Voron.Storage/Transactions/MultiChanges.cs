using Voron.Storage.Pages;
using Voron.Storage.Structures;

namespace Voron.Storage.Transactions;

/// <summary>
/// A write transaction's changes to multi-value trees: each is written to the redo and made at once. The caller checks the arguments.
/// </summary>
internal sealed class MultiChanges(TreeChanges changes, PageWriter pages, TransactionRedo redo, OpenTreeTable open)
{
    private readonly byte[] _bounds = new byte[2 * MultiPosition.BoundBytes(pages.PageBytes)];
    private MultiWriter? _writer;

    private MultiWriter Writer => _writer ??= new MultiWriter(pages);

    /// <summary>Adds a pair; returns false and changes nothing if it exists.</summary>
    internal bool Add(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ref OpenTree tree = ref open[index];
        if (Writer.Find(tree.Root, tree.Shape.ValueBytes, key, value))
        {
            return false;
        }

        AddFound(index, key, value);
        return true;
    }

    /// <summary>Adds a pair above all others; returns false and changes nothing if it is not.</summary>
    internal bool TryAppend(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ref OpenTree tree = ref open[index];
        if (Writer.Find(tree.Root, tree.Shape.ValueBytes, key, value) || !Writer.IsAboveAll)
        {
            return false;
        }

        AddFound(index, key, value);
        return true;
    }

    /// <summary>Deletes a pair; returns false and changes nothing if it does not exist.</summary>
    internal bool Delete(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ref OpenTree tree = ref open[index];
        if (!Writer.Find(tree.Root, tree.Shape.ValueBytes, key, value))
        {
            return false;
        }

        // Write the redo before the change: key and value may be in a page that changes.
        redo.DeletePair(index, key, value);
        Writer.DeleteFound();
        tree.Version++;
        tree.Grew(-1);
        changes.SendFragmentIfLong();
        return true;
    }

    /// <summary>Deletes all pairs of a key and returns their number.</summary>
    internal long DeleteAll(int index, ReadOnlySpan<byte> key)
    {
        Span<byte> low = Low[..MultiKey.Write(key, Low)];
        Span<byte> high = High[..MultiKey.WriteBehind(key, High)];
        long count = CountBetween(index, low, high);
        if (count > 0)
        {
            redo.Delete(index, key);
            DeleteBetween(index, low, high, count);
        }

        return count;
    }

    /// <summary>Deletes the pairs with from ≤ key &lt; to, as one redo operation. Returns their number.</summary>
    internal long DeleteRange(int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        Span<byte> low = Low[..MultiKey.Write(from, Low)];
        Span<byte> high = High[..MultiKey.Write(to, High)];
        long count = low.SequenceCompareTo(high) < 0 ? CountBetween(index, low, high) : 0;
        if (count > 0)
        {
            redo.DeleteRange(index, from, to);
            DeleteBetween(index, low, high, count);
        }

        return count;
    }

    private Span<byte> Low => _bounds.AsSpan(0, _bounds.Length / 2);

    private Span<byte> High => _bounds.AsSpan(_bounds.Length / 2);

    private void AddFound(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        redo.NotePair(index, key, value);
        Writer.AddFound();
        ref OpenTree tree = ref open[index];
        tree.Version++;
        tree.Grew(1);
        changes.SendFragmentIfLong();
    }

    private long CountBetween(int index, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        ref OpenTree tree = ref open[index];
        return MultiReader.CountBetween(pages.Source, pages.TransactionId, tree.Root, tree.Shape.ValueBytes, low, high);
    }

    private void DeleteBetween(int index, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, long count)
    {
        ref OpenTree tree = ref open[index];
        Writer.DeleteRange(tree.Root, tree.Shape.ValueBytes, low, high);
        tree.Version++;
        tree.Grew(-count);
        changes.SendFragmentIfLong();
    }
}
