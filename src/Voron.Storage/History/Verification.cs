using System.IO.Pipelines;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>Reads a stream to its end: every frame is whole, and every transaction can be read and follows the one before.</summary>
internal static class Verification
{
    internal static async ValueTask<BackupReport> RunAsync(PipeReader pipe, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        FrameReader frames = new(pipe, cancellation);
        StreamHead head = await frames.ReadHeadAsync().ConfigureAwait(false);
        TransactionId last = head.IsFull != 0 ? new TransactionId(Math.Max(0, head.Last.Value - 1)) : head.After;
        long transactions = 0;
        while (await frames.TryReadAsync().ConfigureAwait(false))
        {
            switch (frames.Kind)
            {
                case FrameKind.Time:
                    Expect(frames, frames.HeadOf<TransactionTime>().TransactionId, last);
                    break;
                case FrameKind.Placed:
                    Expect(frames, frames.HeadOf<PlacedHead>().TransactionId, last);
                    break;
                case FrameKind.Records:
                    Read(frames, last);
                    if (frames.HeadOf<RecordsHead>().IsLast != 0)
                    {
                        last = last.Next;
                        transactions++;
                    }

                    break;
                case FrameKind.End:
                    StreamEnd end = frames.HeadOf<StreamEnd>();
                    if (end.Last != last)
                    {
                        Throw.BadFrame(frames.Number, $"it ends the stream at transaction {end.Last}, not {last}");
                    }

                    return new BackupReport(last.Value, head.Guid, head.IsFull != 0, transactions, head.Pages, frames.BytesRead);
                default:
                    Throw.BadFrame(frames.Number, $"its kind is {(uint)frames.Kind}");
                    break;
            }
        }

        Throw.Incomplete(frames.Number);
        return null!;
    }

    private static void Read(FrameReader frames, TransactionId last)
    {
        RecordsHead head = frames.HeadOf<RecordsHead>();
        Expect(frames, head.TransactionId, last);
        try
        {
            RedoReader redo = new(frames.Payload.Span[RecordsHead.SizeBytes..], head.IsFirst != 0);
            while (redo.MoveNext())
            {
                // Reading checks every length.
            }
        }
        catch (CorruptJournalException error)
        {
            Throw.BadContent(frames.Number, head.TransactionId, error);
        }
    }

    private static void Expect(FrameReader frames, TransactionId id, TransactionId last)
    {
        if (id != last.Next)
        {
            Throw.BadFrame(frames.Number, $"it is of transaction {id} where {last.Next} should come");
        }
    }
}
