using System.Buffers.Binary;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>
/// Cuts the records of a commit group into parts that mean the same on another node. Only operations that name placed values need it: the
/// value goes before its operation, in pieces, and the record is cut between them. The runs of the values are read in the data file; they
/// stay as they are until the group is written, because the database keeps what it has undone (see <see cref="Pages.PlacedRuns"/>).
/// </summary>
internal sealed class GroupParts(PlacedContent placed)
{
    /// <summary>Bytes of a value in one part.</summary>
    private const int PieceBytes = 256 << 10;

    private byte[] _piece = [];

    internal void Cut(CommitGroup group, IGroupPartSink sink)
    {
        int at = 0;
        while (group.TryRead(ref at, out RecordHeader header, out ReadOnlySpan<byte> body))
        {
            bool isLast = (header.Flags & RecordFlags.Commit) != 0;
            Cut(new RedoRecord(header.TransactionId, isLast ? header.FragmentCount : header.FragmentNumber, isLast), body, sink);
        }
    }

    private void Cut(RedoRecord record, ReadOnlySpan<byte> body, IGroupPartSink sink)
    {
        int sent = 0;
        int begin = 0;
        RedoReader redo = new(body, isFirst: record.Fragment == 0);
        while (redo.MoveNext())
        {
            int end = body.Length - redo.RestBytes;
            if (redo.Operation == RedoOperation.PutPlaced)
            {
                // The version of the redo stands before the first operation, so this part is never missing where a transaction begins.
                begin = Math.Max(begin, record.Fragment == 0 ? 1 : 0);
                if (begin > sent)
                {
                    sink.Take(record with { IsLast = false, GoesOn = true }, body[sent..begin]);
                }

                Send(record, redo.Runs, sink);
                sent = begin;
            }

            begin = end;
        }

        sink.Take(record, body[sent..]);
    }

    private void Send(RedoRecord record, PlacedRun[] runs, IGroupPartSink sink)
    {
        foreach (PlacedRun run in runs)
        {
            ReadOnlySpan<byte> value = placed.Read(record.TransactionId, run).Span;
            for (int at = 0; at < value.Length; at += PieceBytes)
            {
                sink.Take(
                    record with { IsLast = false, GoesOn = true, IsContent = true },
                    Piece(value.Length, value[at..Math.Min(value.Length, at + PieceBytes)]));
            }
        }
    }

    private ReadOnlySpan<byte> Piece(long valueBytes, ReadOnlySpan<byte> bytes)
    {
        int length = sizeof(long) + bytes.Length;
        if (_piece.Length < length)
        {
            _piece = GC.AllocateUninitializedArray<byte>(length);
        }

        BinaryPrimitives.WriteInt64LittleEndian(_piece, valueBytes);
        bytes.CopyTo(_piece.AsSpan(sizeof(long)));
        return _piece.AsSpan(0, length);
    }
}
