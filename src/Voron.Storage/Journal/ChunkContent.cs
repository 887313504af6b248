using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// A commit chunk read into memory, with its records judged one by one. Every number is checked against the bytes there are before it is
/// used.
/// </summary>
internal sealed class ChunkContent : IDisposable
{
    private readonly AlignedBuffer _bytes;
    private readonly int _length;
    private readonly bool _saltIsKnown;

    internal ChunkContent(IDisk disk, Chunk chunk)
        : this(disk, chunk, saltIsKnown: true)
    {
    }

    private ChunkContent(IDisk disk, Chunk chunk, bool saltIsKnown)
    {
        Chunk = chunk;
        _saltIsKnown = saltIsKnown;
        _bytes = AlignedBuffer.Allocate(checked((int)chunk.Bytes));
        try
        {
            Platform.Throw.IfFailed(disk.OpenFile(chunk.Path, FileOpening.ReadOnly, out IDiskFile? file), "open", chunk.Path);
            using (file)
            {
                Platform.Throw.IfFailed(file!.Read(0, _bytes.Span, out _length), "read", chunk.Path, 0);
            }

            if (saltIsKnown && _length < chunk.Bytes)
            {
                // Its header was sound and its length was enough; the records that are missing now may have been acknowledged.
                Throw.ShortRead(chunk.Path, _length, chunk.Bytes);
            }
        }
        catch
        {
            _bytes.Dispose();
            throw;
        }
    }

    internal Chunk Chunk { get; }

    /// <summary>A chunk whose header is damaged: its records are judged without the salt, by sequence, place and checksum.</summary>
    internal static ChunkContent OfDamaged(IDisk disk, string path, long sequence)
    {
        Platform.Throw.IfFailed(disk.OpenFile(path, FileOpening.ReadOnly, out IDiskFile? file), "open", path);
        long bytes;
        using (file)
        {
            Platform.Throw.IfFailed(file!.GetLength(out bytes), "read the length of", path);
        }

        Chunk chunk = new(path, sequence, 0, Math.Clamp(bytes, FormatConstants.BlockBytes, int.MaxValue));
        return new ChunkContent(disk, chunk, saltIsKnown: false);
    }

    /// <summary>The record at an offset when it is sound by itself: magic, place, salt and checksum.</summary>
    internal bool TryRead(long offset, out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        header = default;
        body = default;
        if (offset < FormatConstants.ChunkBodyOffset || offset > _length - RecordHeader.SizeBytes)
        {
            return false;
        }

        ReadOnlySpan<byte> rest = _bytes.Span[(int)offset.._length];
        header = MemoryMarshal.Read<RecordHeader>(rest);
        bool anySalt = Sabotage.Is(SabotageRule.AcceptStaleRecords);
        bool anySequence = anySalt || Sabotage.Is(SabotageRule.ReuseSalt);
        if (header.Magic != FormatConstants.RecordMagic
            || (_saltIsKnown && header.Salt != Chunk.Salt && !anySalt)
            || (header.Sequence != Chunk.Sequence && !anySequence)
            || header.Offset != offset
            || header.StoredBytes < 0
            || header.StoredBytes > rest.Length - RecordHeader.SizeBytes
            || header.BodyBytes != header.StoredBytes
            || header.Flags is not (RecordFlags.Commit or RecordFlags.Fragment))
        {
            return false;
        }

        ReadOnlySpan<byte> record = rest[..(RecordHeader.SizeBytes + (int)header.StoredBytes)];
        body = record[RecordHeader.SizeBytes..];
        return header.Checksum == CommitBatch.ChecksumOf(record);
    }

    /// <summary>
    /// Looks for a record at or behind an offset that says that something at or behind <paramref name="bad"/> was on the device when it
    /// was written.
    /// </summary>
    internal bool TryFindProof(long from, JournalPosition bad, out JournalPosition proof)
    {
        Span<byte> bytes = _bytes.Span[.._length];
        for (long at = CommitBatch.RoundUp((int)from, FormatConstants.RecordAlignmentBytes);
            at <= _length - RecordHeader.SizeBytes;
            at += FormatConstants.RecordAlignmentBytes)
        {
            if (MemoryMarshal.Read<uint>(bytes[(int)(at + 8)..]) != FormatConstants.RecordMagic
                || !TryRead(at, out RecordHeader header, out _))
            {
                continue;
            }

            if (new JournalPosition(header.DurableSequence, header.DurableOffset) >= bad || Sabotage.Is(SabotageRule.AnyLaterRecordIsProof))
            {
                proof = new JournalPosition(Chunk.Sequence, at);
                return true;
            }
        }

        proof = default;
        return false;
    }

    public void Dispose() => _bytes.Dispose();
}
