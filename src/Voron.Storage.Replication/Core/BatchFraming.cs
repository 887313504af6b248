using System.Buffers;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;

namespace Voron.Storage.Replication.Core;

/// <summary>Makes the batch of a group of commits. One caller at a time; the bytes are valid until the next call.</summary>
internal sealed class BatchFraming
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    internal ReadOnlySpan<byte> Frame(CommitGroup group)
    {
        _bytes.ResetWrittenCount();
        int at = 0;
        while (group.TryRead(ref at, out RecordHeader header, out ReadOnlySpan<byte> body))
        {
            bool isLast = (header.Flags & RecordFlags.Commit) != 0;
            RedoRecord record = new(header.TransactionId, isLast ? header.FragmentCount : header.FragmentNumber, isLast);
            BatchRecord.WriteHead(_bytes.GetSpan(BatchRecord.HeadBytes), record, body.Length);
            _bytes.Advance(BatchRecord.HeadBytes);
            _bytes.Write(body);
        }

        return _bytes.WrittenSpan;
    }
}
