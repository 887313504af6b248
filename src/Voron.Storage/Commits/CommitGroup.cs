using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;

namespace Voron.Storage.Commits;

/// <summary>
/// A commit group: the records of one journal write, contiguous in aligned memory. Fields that depend on earlier records (chain,
/// durable-up-to, checksums) are filled in when the write is issued, so that they say what was known then.
/// </summary>
internal sealed class CommitGroup : IDisposable
{
    private const int FirstBufferBytes = 256 << 10;

    /// <summary>Allocated for the first record: if many databases are open, most are only read or idle.</summary>
    private AlignedBuffer? _buffer;
    private int _used;
    private int _awaited;

    /// <summary>Number of the group; increases by one from group to group.</summary>
    internal long Number { get; private set; }

    /// <summary>Offset of the group in its chunk, a multiple of the block size.</summary>
    internal long StartOffset { get; private set; }

    internal bool IsEmpty => _used == 0;

    /// <summary>Whether a caller needs this group on the device.</summary>
    internal bool NeedsDevice { get; set; }

    /// <summary>Whether the group has lazy records: no caller waits for them, but they must not stay in memory for long.</summary>
    internal bool IsLazy { get; set; }

    /// <summary>Whether the group has a fragment of a long transaction, which continues while another thread writes this group.</summary>
    internal bool HasFragment { get; private set; }

    /// <summary>Whether a thread waits for this group.</summary>
    internal bool HasWaiters { get; set; }

    /// <summary>Asynchronous commits that complete with this group.</summary>
    internal List<CommitCompletion> Sources { get; } = [];

    /// <summary>Bytes of the records, without the padding to a block.</summary>
    internal int UsedBytes => _used;

    internal int Records { get; private set; }

    /// <summary>Number of commit records in the group.</summary>
    internal int Commits { get; private set; }

    /// <summary>Number of commit records whose callers wait for a device or an outer log. May be read without the gate.</summary>
    internal int Awaited => Volatile.Read(ref _awaited);

    /// <summary>The last transaction whose commit record is in the group.</summary>
    internal TransactionId LastCommit { get; private set; }

    /// <summary>Length of the write in bytes, padded to a block.</summary>
    internal int WriteBytes => RecordLayout.RoundUp(_used, FormatConstants.BlockBytes);

    internal void Begin(long number, long startOffset)
    {
        Number = number;
        StartOffset = startOffset;
        NeedsDevice = false;
        IsLazy = false;
        HasFragment = false;
        HasWaiters = false;
        Records = 0;
        Commits = 0;
        Volatile.Write(ref _awaited, 0);
        _used = 0;
    }

    /// <summary>Moves the empty group to an offset in another chunk.</summary>
    internal void MoveTo(long startOffset) => StartOffset = startOffset;

    internal void Add(RecordHeader header, ReadOnlySpan<byte> body, bool onDevice, bool isAwaited = false)
    {
        int bytes = RecordLayout.RecordBytes(body.Length);
        EnsureRoom(RecordLayout.RoundUp(checked(_used + bytes), FormatConstants.BlockBytes));
        header.Magic = FormatConstants.RecordMagic;
        header.Offset = StartOffset + _used;
        header.BodyBytes = body.Length;
        header.StoredBytes = body.Length;
        Span<byte> record = _buffer!.Slice(_used, bytes);
        MemoryMarshal.Write(record, in header);
        body.CopyTo(record[RecordHeader.SizeBytes..]);
        record[(RecordHeader.SizeBytes + body.Length)..].Clear();
        _used += bytes;
        Records++;
        NeedsDevice |= onDevice;
        HasFragment |= (header.Flags & RecordFlags.Fragment) != 0;
        if ((header.Flags & RecordFlags.Commit) != 0)
        {
            Commits++;
            LastCommit = header.TransactionId;
            Volatile.Write(ref _awaited, _awaited + (onDevice || isAwaited ? 1 : 0));
        }
    }

    /// <summary>
    /// Completes all records for the write about to be issued and returns its bytes. <paramref name="lastChecksum"/> is that of the
    /// previous record and becomes that of the last one here; <paramref name="mark"/> becomes the last commit record, if there is one.
    /// </summary>
    internal ReadOnlySpan<byte> Seal(
        Chunk chunk, JournalPosition durable, ref ulong lastChecksum, ref RecordMark mark, out JournalPosition last)
    {
        int at = 0;
        last = default;
        while (at < _used)
        {
            Span<byte> rest = _buffer!.Slice(at, _used - at);
            ref RecordHeader header = ref MemoryMarshal.AsRef<RecordHeader>(rest);
            int body = (int)header.StoredBytes;
            header.Salt = chunk.Salt;
            header.Sequence = chunk.Sequence;
            header.PreviousChecksum = lastChecksum;
            header.DurableSequence = durable.Sequence;
            header.DurableOffset = durable.Offset;
            header.Checksum = RecordLayout.ChecksumOf(rest[..(RecordHeader.SizeBytes + body)]);
            lastChecksum = header.Checksum;
            last = new JournalPosition(chunk.Sequence, header.Offset);
            if ((header.Flags & RecordFlags.Commit) != 0)
            {
                mark = new RecordMark(header.TransactionId, last, header.Checksum);
            }

            at += RecordLayout.RecordBytes(body);
        }

        Span<byte> write = _buffer!.Slice(0, WriteBytes);
        write[_used..].Clear();
        return write;
    }

    /// <summary>Reads the records one after another, from offset 0 on; false behind the last one.</summary>
    internal bool TryRead(ref int at, out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        header = default;
        body = default;
        if (at >= _used)
        {
            return false;
        }

        ReadOnlySpan<byte> rest = _buffer!.Slice(at, _used - at);
        header = MemoryMarshal.Read<RecordHeader>(rest);
        body = rest.Slice(RecordHeader.SizeBytes, (int)header.StoredBytes);
        at += RecordLayout.RecordBytes(body.Length);
        return true;
    }

    public void Dispose() => _buffer?.Dispose();

    private void EnsureRoom(int bytes)
    {
        long length = _buffer?.LengthBytes ?? 0;
        if (bytes <= length)
        {
            return;
        }

        long wanted = Math.Max(bytes, Math.Max(length * 2, FirstBufferBytes));
        AlignedBuffer larger = AlignedBuffer.Allocate((int)Math.Min(wanted, int.MaxValue & ~4095));
        _buffer?.Slice(0, _used).CopyTo(larger.Span);
        _buffer?.Dispose();
        _buffer = larger;
    }
}
