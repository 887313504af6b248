using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.History;

/// <summary>
/// The entries of a range of an ordered tree, as puts. They are collected up to the end of the range, or until the redo is long or a value
/// comes that is written on its own; then, once both are written, the rest is collected in the same way.
/// </summary>
internal sealed class EntryPart
{
    /// <summary>Values from this length on are written as values of their own runs.</summary>
    private const int LongBytes = 64 << 10;

    /// <summary>Redo after which the collecting thread gives way once.</summary>
    private const int StepBytes = 64 << 10;

    /// <summary>Redo after which it must be written.</summary>
    private const int MostBytes = 1 << 20;

    private byte[]? _from;
    private byte[]? _to;
    private RangeEnds _ends;

    /// <summary>The puts that were collected and not written.</summary>
    internal RedoWriter Redo { get; } = new();

    /// <summary>The key after the puts whose value is to be written on its own; <see cref="LongValue"/> says where it is.</summary>
    internal byte[] LongKey { get; private set; } = [];

    /// <summary>Zero if there is no such key.</summary>
    internal OverflowReference LongValue { get; private set; }

    /// <summary>Whether all entries were collected.</summary>
    internal bool IsDone { get; private set; }

    /// <summary>Number of entries that were collected since the range was set.</summary>
    internal long Entries { get; private set; }

    /// <summary>Sets the range: null for one without a beginning or without an end. The end is not in it.</summary>
    internal void Set(byte[]? from, byte[]? to)
    {
        _from = from;
        _to = to;
        _ends = (from is null ? RangeEnds.None : RangeEnds.From) | (to is null ? RangeEnds.None : RangeEnds.To);
        Entries = 0;
        IsDone = false;
        Written();
    }

    /// <summary>Whether something was collected, or there is nothing to collect.</summary>
    internal bool IsCollected => IsDone || LongValue.ValueBytes != 0 || !Redo.Written.IsEmpty;

    /// <summary>Notes that what was collected is written.</summary>
    internal void Written()
    {
        Redo.Continue();
        LongKey = [];
        LongValue = default;
    }

    /// <summary>Collects the next entries, or none if one of them cannot be read; then throws.</summary>
    internal void Collect(PageSource source, TransactionId snapshot, PageNumber root)
    {
        long before = Entries;
        RangeCursor cursor = new(source, snapshot, root, _from, _to, _ends, reversed: false);
        try
        {
            int yieldAt = StepBytes;
            while (cursor.MoveNext())
            {
                Entries++;
                if (cursor.IsOverflow(out ReadOnlySpan<byte> stored))
                {
                    OverflowReference reference = Node.Reference(stored);
                    if (reference.IsList || reference.ValueBytes >= LongBytes)
                    {
                        LongKey = GoOnBehind(cursor.Key);
                        LongValue = reference;
                        return;
                    }

                    stored = source.ReadOverflow(reference, snapshot);
                }

                Redo.Put(cursor.Key, stored);
                if (Redo.Written.Length >= MostBytes)
                {
                    GoOnBehind(cursor.Key);
                    return;
                }

                if (Redo.Written.Length >= yieldAt)
                {
                    EngineThread.Yield();
                    yieldAt += StepBytes;
                }
            }

            IsDone = true;
        }
        catch
        {
            Redo.Continue();
            Entries = before;
            throw;
        }
        finally
        {
            cursor.Dispose();
        }
    }

    private byte[] GoOnBehind(ReadOnlySpan<byte> key)
    {
        _from = key.ToArray();
        _ends |= RangeEnds.From | RangeEnds.FromOpen;
        return _from;
    }
}
