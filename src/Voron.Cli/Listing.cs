using Voron.Storage;

namespace Voron.Cli;

/// <summary>Walks a tree key by key, past values that cannot be shown or read: their keys are listed with what is wrong.</summary>
internal sealed class Listing(ReadTree tree, Question question)
{
    /// <summary>An entry; with a problem there is no value.</summary>
    internal delegate void Visitor(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, string? problem);

    /// <summary>True when there was more than the limit allows.</summary>
    internal bool IsCut { get; private set; }

    /// <summary>True when a value could not be read.</summary>
    internal bool IsDamaged { get; private set; }

    /// <summary>About how many entries the question has without its limit; never fewer than were listed and one more.</summary>
    internal long Estimate()
    {
        long estimate = question.High is { } high
            ? tree.EstimateCount(question.Low, high)
            : tree.Count - tree.EstimateCount([], question.Low);
        return Math.Max(question.Limit + 1, estimate);
    }

    internal void Run(Visitor visit, CancellationToken stop)
    {
        Cursor cursor = tree.OpenCursor();
        try
        {
            Run(ref cursor, visit, stop);
        }
        finally
        {
            cursor.Dispose();
        }
    }

    private void Run(ref Cursor cursor, Visitor visit, CancellationToken stop)
    {
        long count = 0;
        bool isThere = question.IsReverse ? SeekEnd(ref cursor) : cursor.Seek(question.Low);
        while (isThere && IsInside(cursor.Key))
        {
            stop.ThrowIfCancellationRequested();
            if (question.Limit > 0 && count == question.Limit)
            {
                IsCut = true;
                return;
            }

            Visit(ref cursor, visit);
            count++;
            isThere = question.IsReverse ? cursor.MovePrevious() : cursor.MoveNext();
        }
    }

    private bool SeekEnd(ref Cursor cursor)
    {
        if (question.High is not { } high)
        {
            return cursor.MoveLast();
        }

        bool isThere = cursor.SeekFloor(high);
        return isThere && cursor.Key.SequenceEqual(high) ? cursor.MovePrevious() : isThere;
    }

    private bool IsInside(ReadOnlySpan<byte> key) =>
        key.SequenceCompareTo(question.Low) >= 0 && (question.High is not { } high || key.SequenceCompareTo(high) < 0);

    private void Visit(ref Cursor cursor, Visitor visit)
    {
        ReadOnlySpan<byte> value = default;
        string? problem = null;
        try
        {
            value = question.IsKeysOnly ? default : cursor.Value;
        }
        catch (ValueInPiecesException)
        {
            problem = "a value in pieces; 'voron get' reads it";
        }
        catch (StorageCorruptException error)
        {
            IsDamaged = true;
            problem = $"DAMAGED: {error.Message}";
        }

        visit(cursor.Key, value, problem);
    }
}
