using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Journal;

/// <summary>
/// Reads a commit chunk piece by piece and checks its records one by one. Every number is checked against the available bytes before it
/// is used. Memory is one piece, or one record if that is longer; a piece fetched by <see cref="ChunkReadAhead"/> costs no wait.
/// </summary>
internal sealed class ChunkContent : IDisposable
{
    internal const int PieceBytes = 1 << 20;

    /// <summary>Length of the first read: often only one record of a chunk is needed.</summary>
    private const int FirstPieceBytes = 64 << 10;

    /// <summary>Length of a read where little is expected: what is new is usually a few short records.</summary>
    private const int NewPieceBytes = 32 << 10;

    private readonly IDiskFile _file;
    private readonly ChunkReadAhead? _ahead;
    private readonly JournalTail? _tail;
    private readonly long _length;
    private readonly bool _saltIsKnown;
    private readonly DatabaseId _owner;

    /// <summary>Whether reads are past the page cache, in whole blocks.</summary>
    private readonly bool _isUnbuffered;
    private readonly int _pieceBytes = PieceBytes;

    /// <summary>Rented: opening a database probes a few chunks, and allocating memory for each would cost more than the probe.</summary>
    private byte[] _piece = [];

    /// <summary>Used instead of <see cref="_piece"/> for a record longer than a piece, and for unbuffered reads.</summary>
    private AlignedBuffer? _long;
    private long _windowStart;
    private int _windowBytes;
    private int _firstPieceBytes = FirstPieceBytes;
    private BlockReads.Unreadable _unreadable;

    internal ChunkContent(IDisk disk, Chunk chunk, ChunkReadAhead? ahead = null, JournalTail? tail = null)
        : this(disk, chunk, saltIsKnown: true, owner: default, ahead) => _tail = tail;

    private ChunkContent(IDisk disk, Chunk chunk, FileOpening opening)
        : this(disk, chunk, saltIsKnown: true, owner: default, ahead: null, opening)
    {
        _firstPieceBytes = NewPieceBytes;
        _pieceBytes = NewPieceBytes;
    }

    private ChunkContent(
        IDisk disk, Chunk chunk, bool saltIsKnown, DatabaseId owner, ChunkReadAhead? ahead, FileOpening opening = FileOpening.ReadOnly)
    {
        Chunk = chunk;
        _saltIsKnown = saltIsKnown;
        _owner = owner;
        _ahead = ahead;
        _isUnbuffered = (opening & FileOpening.Unbuffered) != 0;
        IoError opened = disk.OpenFile(chunk.Path, opening, out IDiskFile? file);
        try
        {
            IO.Throw.IfFailed(opened, "open", chunk.Path);
            IO.Throw.IfFailed(file!.GetLength(out long bytes), "read the length of", chunk.Path);
            if (saltIsKnown && bytes < chunk.Bytes)
            {
                // Its header was sound and its length was sufficient; the records that are missing now may have been acknowledged.
                Throw.ShortRead(chunk.Path, bytes, chunk.Bytes);
            }

            _length = Math.Min(Math.Min(bytes, chunk.Bytes), int.MaxValue);
            _file = file;
            _ahead?.Begin(file, _length);
        }
        catch
        {
            file?.Dispose();
            throw;
        }
    }

    internal Chunk Chunk { get; }

    /// <summary>
    /// Blocks read so far that the device cannot read. They hold no sound record and are treated like any other damage.
    /// </summary>
    internal BlockReads.Unreadable Unreadable => _unreadable;

    private Span<byte> Window => _long is null ? _piece : _long.Span;

    /// <summary>
    /// Opens a chunk that another process writes, of which a little at a time is read: past the page cache, since each write of a block
    /// that is in there has to remove it, and only then ends.
    /// </summary>
    internal static ChunkContent OfWriter(IDisk disk, Chunk chunk)
    {
        bool isWhole = chunk.Bytes % FormatConstants.BlockBytes == 0;
        FileOpening opening = FileOpening.ReadOnly | (isWhole ? FileOpening.Unbuffered : FileOpening.None);
        return new ChunkContent(disk, chunk, opening);
    }

    /// <summary>
    /// Opens a chunk whose header is damaged. Only the owner's half of its records' salt is known, so they are checked by that half,
    /// sequence, place and checksum.
    /// </summary>
    internal static ChunkContent OfDamaged(JournalFiles files, long sequence)
    {
        Chunk chunk = new(files.PathOf(ChunkKind.Commit, sequence), sequence, 0, int.MaxValue);
        return new ChunkContent(files.Disk, chunk, saltIsKnown: false, files.DatabaseId, ahead: null);
    }

    /// <summary>
    /// Reads the record at an offset if it is sound by itself: magic, place, salt and checksum. The body is valid until the next call.
    /// </summary>
    internal bool TryRead(long offset, out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        header = default;
        body = default;
        if (offset < FormatConstants.ChunkBodyOffset || offset > _length - RecordHeader.SizeBytes)
        {
            return false;
        }

        header = MemoryMarshal.Read<RecordHeader>(Bytes(offset, RecordHeader.SizeBytes));
        if (header.Magic != FormatConstants.RecordMagic
            || !(_saltIsKnown ? header.Salt == Chunk.Salt : _owner.MayOwn(header.Salt))
            || header.Sequence != Chunk.Sequence
            || header.Offset != offset
            || header.StoredBytes < 0
            || header.StoredBytes > _length - offset - RecordHeader.SizeBytes
            || header.BodyBytes != header.StoredBytes
            || header.Flags is not (RecordFlags.Commit or RecordFlags.Fragment))
        {
            return false;
        }

        ReadOnlySpan<byte> record = Bytes(offset, RecordHeader.SizeBytes + (int)header.StoredBytes);
        body = record[RecordHeader.SizeBytes..];
        return header.Checksum == RecordLayout.ChecksumOf(record);
    }

    /// <summary>Reads the file again from here on: what is in memory was read before the records that are there now were written.</summary>
    internal void Forget()
    {
        _windowBytes = 0;
        _firstPieceBytes = NewPieceBytes;
    }

    /// <summary>
    /// Finds a record at or after an offset which says that something at or after <paramref name="bad"/> was on the device when it was
    /// written.
    /// </summary>
    internal bool TryFindProof(long from, JournalPosition bad, out JournalPosition proof)
    {
        long at = from;
        while (TryFindRecord(ref at, out RecordHeader header))
        {
            if (new JournalPosition(header.DurableSequence, header.DurableOffset) >= bad)
            {
                proof = new JournalPosition(Chunk.Sequence, at);
                return true;
            }

            at += FormatConstants.RecordAlignmentBytes;
        }

        proof = default;
        return false;
    }

    /// <summary>Finds the next sound record at or after an offset, whatever precedes it, and moves the offset to it.</summary>
    internal bool TryFindRecord(ref long at, out RecordHeader header)
    {
        const int MagicOffset = sizeof(ulong);
        Span<byte> magic = stackalloc byte[sizeof(uint)];
        MemoryMarshal.Write(magic, FormatConstants.RecordMagic);
        at = RoundUp(at, FormatConstants.RecordAlignmentBytes);
        while (at <= _length - RecordHeader.SizeBytes)
        {
            int piece = (int)Math.Min(_length - at, PieceBytes);
            int found = Bytes(at, piece)[MagicOffset..].IndexOf(magic);
            if (found < 0)
            {
                // Overlap the pieces, so that a magic number across the end of this one is found in the next.
                int step = (piece - RecordHeader.SizeBytes) & -FormatConstants.RecordAlignmentBytes;
                at += Math.Max(FormatConstants.RecordAlignmentBytes, step);
                continue;
            }

            long place = at + found;
            at = RoundUp(place, FormatConstants.RecordAlignmentBytes);
            if (at == place && TryRead(at, out header, out _))
            {
                return true;
            }

            at += at == place ? FormatConstants.RecordAlignmentBytes : 0;
        }

        header = default;
        return false;
    }

    /// <summary>Whether a record of this use of the chunk begins at an offset, sound or not.</summary>
    internal bool HasBegun(long offset)
    {
        if (offset < FormatConstants.ChunkBodyOffset || offset > _length - RecordHeader.SizeBytes)
        {
            return false;
        }

        RecordHeader header = MemoryMarshal.Read<RecordHeader>(Bytes(offset, RecordHeader.SizeBytes));
        return header.Magic == FormatConstants.RecordMagic && header.Salt == Chunk.Salt && header.Sequence == Chunk.Sequence;
    }

    public void Dispose()
    {
        _ahead?.End();
        _file.Dispose();
        _long?.Dispose();
        byte[] rented = _piece;
        _piece = [];
        if (rented.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    internal static long RoundUp(long value, int multiple) => checked(value + multiple - 1) / multiple * multiple;

    /// <summary>Returns bytes of the chunk, valid until the next call.</summary>
    private ReadOnlySpan<byte> Bytes(long offset, int length)
    {
        if (offset < _windowStart || offset + length > _windowStart + _windowBytes)
        {
            Slide(offset, length);
        }

        return Window.Slice((int)(offset - _windowStart), length);
    }

    private void Slide(long offset, int length)
    {
        bool isFirst = _windowBytes == 0;
        int piece = isFirst ? _firstPieceBytes : _pieceBytes;
        long start = _isUnbuffered ? offset / FormatConstants.BlockBytes * FormatConstants.BlockBytes : offset;
        int needed = (int)(offset - start) + length;
        int wanted = (int)Math.Min(_length - start, Math.Max(needed, piece));
        wanted = _isUnbuffered ? (int)RoundUp(wanted, FormatConstants.BlockBytes) : wanted;
        MakeRoom(wanted);
        int kept = 0;
        if (start >= _windowStart && start < _windowStart + _windowBytes)
        {
            kept = (int)(_windowStart + _windowBytes - start);
            Window.Slice((int)(start - _windowStart), kept).CopyTo(Window);
        }

        _windowStart = start;
        _windowBytes = kept;
        int ready = _tail?.Read(Chunk.Sequence, start + kept, Window[kept..wanted]) ?? 0;
        if (kept + ready < needed)
        {
            Fill(Window[kept..wanted], start + kept);
            ready = wanted - kept;
        }

        _windowBytes = kept + ready;
        if (!isFirst)
        {
            _ahead?.Ask(start + wanted);
        }
    }

    /// <summary>Makes the window long enough, and no longer than a piece if that is; what was in it may be forgotten.</summary>
    private void MakeRoom(int bytes)
    {
        bool isRented = bytes <= PieceBytes && !_isUnbuffered;
        long has = _long?.LengthBytes ?? 0;
        if (isRented ? has > 0 : has < bytes || (has > PieceBytes && bytes <= PieceBytes))
        {
            _long?.Dispose();
            _long = null;
            _windowBytes = 0;
            _long = isRented ? null : AlignedBuffer.Allocate(bytes);
        }

        if (isRented && _piece.Length == 0)
        {
            _piece = ArrayPool<byte>.Shared.Rent((int)Math.Min(_length, PieceBytes));
        }
    }

    private void Fill(Span<byte> destination, long offset)
    {
        int done = _ahead?.Take(offset, destination) ?? 0;
        if (done < destination.Length)
        {
            IoError error = BlockReads.Read(_file, offset + done, destination[done..], out int read, ref _unreadable);
            IO.Throw.IfFailed(error, "read", Chunk.Path, offset + done);
            if (_saltIsKnown && done + read < destination.Length)
            {
                // The records that are missing may have been acknowledged.
                Throw.ShortRead(Chunk.Path, offset + done + read, offset + destination.Length);
            }

            // Of a damaged chunk use what can be read; zeros are not a record.
            destination[(done + read)..].Clear();
        }
    }
}
