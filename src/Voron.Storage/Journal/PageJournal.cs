using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes image sets: images and table first, then a sync of each chunk, and last the head, at the place that the previous set named,
/// with a copy in the next block. Without a valid head the set does not exist. Used by one checkpoint at a time.
/// <para>Chunks are allocated but not prefilled. A write-through write would therefore make the file system commit its own journal each
/// time, and commits would wait for that.</para>
/// </summary>
internal sealed class PageJournal : IDisposable
{
    /// <summary>Bytes staged for one write; kept small because a concurrent commit waits for the write.</summary>
    private const int StagingBytes = 256 << 10;

    /// <summary>Length of a spare that may be taken for the shortest chunk.</summary>
    private const long LongestHeadChunkBytes = ChunkPool.MostSpareFactor * FormatConstants.MinChunkBytes;

    private readonly JournalFiles _files;
    private readonly ChunkPool _pool;
    private readonly List<Chunk> _chunks;
    private readonly List<Chunk> _madeForSet = [];
    private readonly List<Chunk> _free = [];

    /// <summary>The staged bytes, followed by the block of the head; null while no image set is being written.</summary>
    private AlignedBuffer? _memory;
    private long _highest;
    private Chunk _chunk;
    private IDiskFile? _file;
    private long _offset;
    private int _staged;
    private bool _isUnsynced;
    private RunningChecksum _table;
    private JournalPosition _place;
    private Chunk _headChunk;

    internal PageJournal(JournalFiles files, IReadOnlyList<Chunk> chunks)
    {
        _files = files;
        _pool = new ChunkPool(files, ChunkKind.Pages);
        _chunks = [.. chunks];
        _highest = files.ListSequences(ChunkKind.Pages).LastOrDefault();
    }

    /// <summary>Length of all page chunks in bytes, including spares.</summary>
    internal long JournalBytes
    {
        get
        {
            long spareBytes = _pool.SpareBytes;
            lock (_chunks)
            {
                return _chunks.Sum(static chunk => chunk.Bytes) + spareBytes;
            }
        }
    }

    /// <summary>
    /// Begins the image set whose head will be at this place. Overwrites a set that was begun there and not completed.
    /// </summary>
    /// <param name="place">The place that the previous image set named.</param>
    /// <param name="expectedBytes">Expected length of the contents, used to size the head's chunk if it must be created.</param>
    internal void BeginSet(JournalPosition place, long expectedBytes = 0)
    {
        _memory ??= AlignedBuffer.Allocate(StagingBytes + FormatConstants.BlockBytes);
        _place = place;
        _staged = 0;
        _isUnsynced = false;
        _madeForSet.Clear();
        _highest = Math.Max(_highest, place.Sequence - 1);
        Chunk known = Find(place.Sequence);
        Use(known.Sequence != 0 ? known : Make(place.Sequence, SizeFor(expectedBytes + ImageSet.HeadsBytes)));
        _headChunk = _chunk;
        _offset = Math.Min(place.Offset + ImageSet.HeadsBytes, _chunk.Bytes);
    }

    /// <summary>
    /// Abandons the image set. Deletes the chunks created for it, except the one of its head: their space may be what is missing.
    /// </summary>
    internal void AbandonSet()
    {
        ReleaseMemory();
        _file?.Dispose();
        _file = null;
        _isUnsynced = false;
        foreach (Chunk chunk in _madeForSet)
        {
            if (chunk.Sequence != _place.Sequence)
            {
                lock (_chunks)
                {
                    _chunks.Remove(chunk);
                }

                _pool.Discard(chunk);
            }
        }

        _madeForSet.Clear();
    }

    /// <summary>Opens a complete chunk for mapping and returns its length; null if the system refuses.</summary>
    internal IDiskFile? TryOpenForMap(long sequence, out long bytes)
    {
        Chunk chunk = Find(sequence);
        bytes = chunk.Bytes;
        return _files.Disk.OpenFile(chunk.Path, FileOpening.ReadOnly, out IDiskFile? file).Failed ? null : file;
    }

    /// <summary>Whether the chunk that is written to is such a chunk.</summary>
    internal bool HasLongChunk => IsLong(_chunk.Sequence);

    /// <summary>Whether a chunk is longer than those that hold nothing but a head.</summary>
    internal bool IsLong(long sequence) => BytesOf(sequence) > LongestHeadChunkBytes;

    /// <summary>Returns the length of a chunk in bytes; 0 if there is no such chunk.</summary>
    internal long BytesOf(long sequence) => Find(sequence).Bytes;

    /// <summary>Adds the image of a page or run; it is on the device once the image set is complete.</summary>
    internal ImageEntry AddImage(PageNumber page, long pageCount, ReadOnlySpan<byte> image)
    {
        EnsureRoom(image.Length);
        ImageEntry entry = new()
        {
            PageNumber = page,
            Sequence = _chunk.Sequence,
            Offset = _offset + _staged,
            Checksum = MemoryMarshal.Read<ulong>(image),
            PageCount = pageCount,
        };
        Append(image);
        return entry;
    }

    /// <summary>Begins the table; as many entries as the head counts are added to it, those of images first.</summary>
    /// <param name="head">Receives the place of the table.</param>
    internal void BeginTable(ref ImageSetHead head)
    {
        long bytes = (head.ImageCount + head.DeferredCount) * ImageEntry.SizeBytes;
        _table = new RunningChecksum(bytes);
        if (bytes > 0)
        {
            EnsureRoom(RecordLayout.RoundUp(checked((int)bytes), FormatConstants.BlockBytes));
            head.TableSequence = _chunk.Sequence;
            head.TableOffset = _offset + _staged;
        }
    }

    internal void AddEntries(ReadOnlySpan<ImageEntry> entries)
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(entries);
        _table.Append(bytes);
        Append(bytes);
    }

    /// <summary>Writes what is left of images and table, and syncs. They do not count until the head is written.</summary>
    internal void EndTable(ref ImageSetHead head)
    {
        long bytes = (head.ImageCount + head.DeferredCount) * ImageEntry.SizeBytes;
        head.TableChecksum = bytes > 0 ? _table.Value : 0;
        AppendZeros((int)(-bytes & (FormatConstants.BlockBytes - 1)));
        FlushStaged();
        Sync();
    }

    /// <summary>
    /// Writes the head; once it is durable, recovery yields this checkpoint. Returns the place of the next image set's head.
    /// </summary>
    /// <param name="head">The head, with the table's place.</param>
    /// <param name="closesChunk">Whether nothing more is written to this set's chunks, because they are mapped or deleted next.</param>
    internal JournalPosition Complete(ImageSetHead head, bool closesChunk = false)
    {
        long end = _offset + _staged;
        JournalPosition next = !closesChunk && end + ImageSet.HeadsBytes <= _chunk.Bytes
            ? new JournalPosition(_chunk.Sequence, end)
            : new JournalPosition(_highest + 1, FormatConstants.ChunkBodyOffset);
        head.NextSetSequence = next.Sequence;
        head.NextSetOffset = next.Offset;

        FlushStaged();
        WriteHead(head);
        Sync();
        _madeForSet.Clear();
        ReleaseMemory();
        return next;
    }

    /// <summary>
    /// Recycles all chunks before the newest image set that hold no deferred or mapped image. If the file system refuses to rename or
    /// delete a chunk, returns the reason; the next call tries again.
    /// </summary>
    internal StorageException? Recycle(long newestSetSequence, HashSet<long> needed, BackgroundPace? pace)
    {
        _free.Clear();
        lock (_chunks)
        {
            for (int i = _chunks.Count - 1; i >= 0; i--)
            {
                if (_chunks[i].Sequence < newestSetSequence && !needed.Contains(_chunks[i].Sequence))
                {
                    _free.Add(_chunks[i]);
                    _chunks.RemoveAt(i);
                }
            }
        }

        StorageException? refusal = null;
        foreach (Chunk chunk in _free)
        {
            if (_pool.TryRecycle(chunk, _chunk.Bytes, ChunkPool.FewSpares, pace) is { } refused)
            {
                refusal ??= refused;
                lock (_chunks)
                {
                    _chunks.Add(chunk);
                }
            }
        }

        return refusal;
    }

    public void Dispose()
    {
        _file?.Dispose();
        ReleaseMemory();
    }

    private void ReleaseMemory()
    {
        _memory?.Dispose();
        _memory = null;
    }

    private void WriteHead(ImageSetHead head)
    {
        head.Magic = FormatConstants.ImageSetMagic;
        head.FormatVersion = FormatConstants.FormatVersion;
        head.Salt = _headChunk.Salt;
        head.Sequence = _headChunk.Sequence;
        head.Offset = _place.Offset;
        Span<byte> block = _memory!.Slice(StagingBytes, FormatConstants.BlockBytes);
        block.Clear();
        MemoryMarshal.Write(block, in head);
        head.Checksum = Checksum.Compute(block[sizeof(ulong)..ImageSetHead.SizeBytes]);
        MemoryMarshal.Write(block, in head);
        if (_headChunk != _chunk)
        {
            Use(_headChunk);
        }

        // Two separate writes, so that one lost or misdirected write destroys only one of the two.
        long end = Math.Min(_place.Offset + ImageSet.HeadsBytes, _headChunk.Bytes);
        for (long at = _place.Offset; at < end; at += block.Length)
        {
            IO.Throw.IfFailed(_file!.Write(at, block), "write", _headChunk.Path, at);
        }

        _isUnsynced = true;
    }

    /// <summary>Switches to a new chunk if the bytes do not fit: an image or table never straddles chunks.</summary>
    private void EnsureRoom(int bytes)
    {
        if (_offset + _staged + bytes <= _chunk.Bytes)
        {
            return;
        }

        FlushStaged();
        Use(Make(_highest + 1, _pool.NextSize(_chunk.Bytes, bytes)));
        _offset = FormatConstants.ChunkBodyOffset;
    }

    /// <summary>Returns the size of a chunk that holds this many bytes, up to the longest size of a chunk.</summary>
    private static long SizeFor(long bytes)
    {
        long rounded = (bytes + FormatConstants.ChunkBodyOffset + FormatConstants.MinChunkBytes - 1)
            / FormatConstants.MinChunkBytes * FormatConstants.MinChunkBytes;
        return Math.Min(rounded, FormatConstants.MaxChunkBytes);
    }

    private Chunk Find(long sequence)
    {
        lock (_chunks)
        {
            foreach (Chunk chunk in _chunks)
            {
                if (chunk.Sequence == sequence)
                {
                    return chunk;
                }
            }

            return default;
        }
    }

    private Chunk Make(long sequence, long bytes)
    {
        // A damaged file may have the name already, and then it is among the highest; no chunk comes after itself.
        Chunk chunk = _pool.Prepare(sequence, Math.Min(_highest, sequence - 1), bytes);
        _highest = Math.Max(_highest, sequence);
        lock (_chunks)
        {
            _chunks.Add(chunk);
        }

        _madeForSet.Add(chunk);
        return chunk;
    }

    private void Use(Chunk chunk)
    {
        Sync();
        _file?.Dispose();
        _file = null;
        IO.Throw.IfFailed(_files.Disk.OpenFile(chunk.Path, FileOpening.Unbuffered, out IDiskFile? file), "open", chunk.Path);
        _file = file;
        _chunk = chunk;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int piece = Math.Min(bytes.Length, StagingBytes - _staged);
            bytes[..piece].CopyTo(_memory!.Slice(_staged, piece));
            _staged += piece;
            bytes = bytes[piece..];
            if (_staged == StagingBytes)
            {
                FlushStaged();
            }
        }
    }

    private void AppendZeros(int bytes)
    {
        while (bytes > 0)
        {
            int piece = Math.Min(bytes, StagingBytes - _staged);
            _memory!.Slice(_staged, piece).Clear();
            _staged += piece;
            bytes -= piece;
            if (_staged == StagingBytes)
            {
                FlushStaged();
            }
        }
    }

    private void FlushStaged()
    {
        if (_staged > 0)
        {
            IO.Throw.IfFailed(_file!.Write(_offset, _memory!.Slice(0, _staged)), "write", _chunk.Path, _offset);
            _offset += _staged;
            _staged = 0;
            _isUnsynced = true;
        }
    }

    /// <summary>Syncs the current chunk if it has unsynced writes.</summary>
    private void Sync()
    {
        if (_isUnsynced)
        {
            _isUnsynced = false;
            IO.Throw.IfFailed(_file!.SyncData(), "sync", _chunk.Path);
        }
    }
}
