using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>
/// Writes transactions to a stream: their redo in parts, and before a part the values that it puts and that are not in the redo.
/// </summary>
internal sealed class TransactionWriter(FrameWriter frames)
{
    /// <summary>Redo after which a part is written, in bytes.</summary>
    private const int PartBytes = 256 << 10;

    /// <summary>Bytes of a value in one frame.</summary>
    private const int PieceBytes = 256 << 10;

    private TransactionId _id;
    private bool _isFirst;

    internal RedoWriter Redo { get; } = new();

    /// <summary>Begins a transaction.</summary>
    /// <param name="id">Its number.</param>
    /// <param name="ticks">When it was committed, in ticks; 0 if that is not known.</param>
    internal void Begin(TransactionId id, long ticks = 0)
    {
        _id = id;
        _isFirst = true;
        Redo.Reset();
        if (ticks != 0)
        {
            frames.Write(FrameKind.Time, new TransactionTime { TransactionId = id, UtcTicks = ticks });
        }
    }

    /// <summary>Writes the redo so far if it is long.</summary>
    internal ValueTask WriteIfLongAsync()
    {
        if (Redo.Written.Length >= PartBytes)
        {
            WritePart(Redo, isLast: false);
        }

        return frames.FlushIfFullAsync();
    }

    /// <summary>Writes the redo so far, and then some that was collected elsewhere.</summary>
    internal ValueTask WriteAsync(RedoWriter further)
    {
        if (!Redo.Written.IsEmpty)
        {
            WritePart(Redo, isLast: false);
        }

        if (!further.Written.IsEmpty)
        {
            WritePart(further, isLast: false);
        }

        return frames.FlushIfFullAsync();
    }

    /// <summary>Ends the transaction.</summary>
    internal ValueTask EndAsync()
    {
        WritePart(Redo, isLast: true);
        return frames.FlushIfFullAsync();
    }

    /// <summary>Writes the value of a run; the redo that puts it comes later.</summary>
    internal async ValueTask WriteRunAsync(ReadOnlyMemory<byte> value)
    {
        for (int at = 0; at < value.Length;)
        {
            int piece = Math.Min(PieceBytes, value.Length - at);
            PlacedHead head = new() { TransactionId = _id, ValueBytes = value.Length, Offset = at };
            frames.Write(FrameKind.Placed, head, value.Span.Slice(at, piece));
            at += piece;
            await frames.FlushIfFullAsync().ConfigureAwait(false);
        }
    }

    private void WritePart(RedoWriter redo, bool isLast)
    {
        RecordsHead head = new() { TransactionId = _id, IsFirst = _isFirst ? 1u : 0u, IsLast = isLast ? 1u : 0u };
        frames.Write(FrameKind.Records, head, redo.Written);
        redo.Continue();
        _isFirst = false;
    }
}
