using System.Buffers;
using Voron.Storage.Engine;

namespace Voron.Storage.Replication.Core;

/// <summary>Makes a batch of parts of commit groups. One caller at a time; the bytes are valid until the next change.</summary>
internal sealed class BatchFraming
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    internal ReadOnlySpan<byte> Batch => _bytes.WrittenSpan;

    internal void Begin() => _bytes.ResetWrittenCount();

    internal void Add(RedoRecord record, ReadOnlySpan<byte> bytes)
    {
        BatchRecord.WriteHead(_bytes.GetSpan(BatchRecord.HeadBytes), record, bytes.Length);
        _bytes.Advance(BatchRecord.HeadBytes);
        _bytes.Write(bytes);
    }
}
