using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes page batches: images and table first, then one sync for all of them, and last the head, at the place that the batch before has
/// named, and a copy of it in the next block. Without a valid head there is no batch. Used by one checkpoint at a time.
/// <para>Chunks are allocated and not written before, so a write-through write would have the file system commit its own journal each time,
/// and commits would wait for that.</para>
/// </summary>
internal sealed class PageJournal : IDisposable
{
    /// <summary>Not longer: a commit that meets the write waits for it.</summary>
    private const int StagingBytes = 256 << 10;

    private readonly JournalFiles _files;
    private readonly ChunkPool _pool;
    private readonly List<Chunk> _chunks;
    private readonly List<Chunk> _madeForBatch = [];
    private readonly List<Chunk> _free = [];
    private readonly List<BatchEntry> _table = [];

    /// <summary>The staged bytes, and behind them the block of the head; null while there is no batch.</summary>
    private AlignedBuffer? _memory;
    private long _highest;
    private Chunk _chunk;
    private IDiskFile? _file;
    private long _offset;
    private int _staged;
    private bool _isUnsynced;
    private JournalPosition _place;
    private Chunk _headChunk;

    internal PageJournal(JournalFiles files, IReadOnlyList<Chunk> chunks)
    {
        _files = files;
        _pool = new ChunkPool(files, ChunkKind.Pages);
        _chunks = [.. chunks];
        _highest = files.ListSequences(ChunkKind.Pages).LastOrDefault();
    }

    /// <summary>Length of all page chunks, spare ones included.</summary>
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
    /// Begins the batch whose head will stand at this place. A batch that was begun there before and not completed is overwritten.
    /// </summary>
    /// <param name="place">As the batch before named it.</param>
    /// <param name="expectedBytes">What it will hold; a chunk that has to be made for the head has room for it.</param>
    internal void BeginBatch(JournalPosition place, long expectedBytes = 0)
    {
        _memory ??= AlignedBuffer.Allocate(StagingBytes + FormatConstants.BlockBytes);
        _place = place;
        _staged = 0;
        _isUnsynced = false;
        _madeForBatch.Clear();
        _highest = Math.Max(_highest, place.Sequence - 1);
        Chunk known = Find(place.Sequence);
        Use(known.Sequence != 0 ? known : Make(place.Sequence, SizeFor(expectedBytes + PageBatch.HeadsBytes)));
        _headChunk = _chunk;
        _offset = Math.Min(place.Offset + PageBatch.HeadsBytes, _chunk.Bytes);
    }

    /// <summary>
    /// The batch will not be completed. Chunks that it had besides the one of its head go, for their space may be what is missing.
    /// </summary>
    internal void AbandonBatch()
    {
        ReleaseMemory();
        _file?.Dispose();
        _file = null;
        _isUnsynced = false;
        foreach (Chunk chunk in _madeForBatch)
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

        _madeForBatch.Clear();
    }

    /// <summary>A complete chunk, opened to be mapped, and its length; null when the system refuses.</summary>
    internal IDiskFile? TryOpenForMap(long sequence, out long bytes)
    {
        Chunk chunk = Find(sequence);
        bytes = chunk.Bytes;
        return _files.Disk.OpenFile(chunk.Path, FileOpening.ReadOnly, out IDiskFile? file).Failed ? null : file;
    }

    /// <summary>Length of a chunk; 0 when there is none.</summary>
    internal long BytesOf(long sequence) => Find(sequence).Bytes;

    /// <summary>Adds the image of a page or run; it is on the device when the batch is complete.</summary>
    internal BatchEntry AddImage(PageNumber page, long pageCount, ReadOnlySpan<byte> image)
    {
        EnsureRoom(image.Length);
        BatchEntry entry = new()
        {
            PageNumber = page.Value,
            Sequence = _chunk.Sequence,
            Offset = _offset + _staged,
            Checksum = MemoryMarshal.Read<ulong>(image),
            PageCount = pageCount,
        };
        Append(image);
        return entry;
    }

    /// <summary>Writes what is left of the images, and the table. Without the head all that is nothing yet.</summary>
    /// <param name="head">Gets the place of the table.</param>
    /// <param name="images">Pages that this batch brings to their places.</param>
    /// <param name="deferred">All pages whose image stays in a page chunk.</param>
    internal void AddTable(ref BatchHead head, List<BatchEntry> images, List<BatchEntry> deferred)
    {
        WriteTable(ref head, images, deferred);
        FlushStaged();
        Sync();
    }

    /// <summary>
    /// Writes the head; from its completion on, recovery yields this checkpoint. Gives the place of the next batch's head.
    /// </summary>
    /// <param name="head">With the table's place.</param>
    /// <param name="closesChunk">Nothing more is written to this batch's chunks: they will be mapped.</param>
    internal JournalPosition Complete(BatchHead head, bool closesChunk = false)
    {
        long end = _offset + _staged;
        JournalPosition next = !closesChunk && end + PageBatch.HeadsBytes <= _chunk.Bytes
            ? new JournalPosition(_chunk.Sequence, end)
            : new JournalPosition(_highest + 1, FormatConstants.ChunkBodyOffset);
        head.NextBatchSequence = next.Sequence;
        head.NextBatchOffset = next.Offset;

        FlushStaged();
        WriteHead(head);
        Sync();
        _madeForBatch.Clear();
        ReleaseMemory();
        return next;
    }

    /// <summary>
    /// Gives back all chunks before the newest batch that hold no image that is still deferred or mapped. One that the file system refuses
    /// to rename or delete is tried again the next time; the result says why.
    /// </summary>
    internal StorageException? Recycle(long newestBatchSequence, HashSet<long> needed)
    {
        _free.Clear();
        lock (_chunks)
        {
            for (int i = _chunks.Count - 1; i >= 0; i--)
            {
                if (_chunks[i].Sequence < newestBatchSequence && !needed.Contains(_chunks[i].Sequence))
                {
                    _free.Add(_chunks[i]);
                    _chunks.RemoveAt(i);
                }
            }
        }

        StorageException? refusal = null;
        foreach (Chunk chunk in _free)
        {
            if (_pool.TryRecycle(chunk, _chunk.Bytes) is { } refused)
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

    private void WriteTable(ref BatchHead head, List<BatchEntry> images, List<BatchEntry> deferred)
    {
        head.ImageCount = images.Count;
        head.DeferredCount = deferred.Count;
        if (images.Count + deferred.Count == 0)
        {
            return;
        }

        _table.Clear();
        _table.AddRange(images);
        _table.AddRange(deferred);
        ReadOnlySpan<byte> table = MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(_table));
        int padded = CommitBatch.RoundUp(table.Length, FormatConstants.BlockBytes);
        EnsureRoom(padded);
        head.TableSequence = _chunk.Sequence;
        head.TableOffset = _offset + _staged;
        head.TableChecksum = Checksum.Compute(table);
        Append(table);
        AppendZeros(padded - table.Length);
    }

    private void WriteHead(BatchHead head)
    {
        head.Magic = FormatConstants.BatchMagic;
        head.FormatVersion = FormatConstants.FormatVersion;
        head.Salt = _headChunk.Salt;
        head.Sequence = _headChunk.Sequence;
        head.Offset = _place.Offset;
        Span<byte> block = _memory!.Slice(StagingBytes, FormatConstants.BlockBytes);
        block.Clear();
        MemoryMarshal.Write(block, in head);
        head.Checksum = Checksum.Compute(block[sizeof(ulong)..BatchHead.SizeBytes]);
        MemoryMarshal.Write(block, in head);
        if (_headChunk != _chunk)
        {
            Use(_headChunk);
        }

        // Apart, so that one write that is lost or goes astray takes one of the two.
        long end = Math.Min(_place.Offset + PageBatch.HeadsBytes, _headChunk.Bytes);
        for (long at = _place.Offset; at < end; at += block.Length)
        {
            Platform.Throw.IfFailed(_file!.Write(at, block), "write", _headChunk.Path, at);
        }

        _isUnsynced = true;
    }

    /// <summary>An image or table never straddles chunks.</summary>
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

    /// <summary>A chunk for so much, if it is not more than a chunk should have.</summary>
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
        Chunk chunk = _pool.Prepare(sequence, _highest, bytes);
        _highest = Math.Max(_highest, sequence);
        lock (_chunks)
        {
            _chunks.Add(chunk);
        }

        _madeForBatch.Add(chunk);
        return chunk;
    }

    private void Use(Chunk chunk)
    {
        Sync();
        _file?.Dispose();
        _file = null;
        Platform.Throw.IfFailed(_files.Disk.OpenFile(chunk.Path, FileOpening.Unbuffered, out IDiskFile? file), "open", chunk.Path);
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
            Platform.Throw.IfFailed(_file!.Write(_offset, _memory!.Slice(0, _staged)), "write", _chunk.Path, _offset);
            _offset += _staged;
            _staged = 0;
            _isUnsynced = true;
        }
    }

    /// <summary>What was written to the chunk in use is on the device when this returns.</summary>
    private void Sync()
    {
        if (_isUnsynced)
        {
            _isUnsynced = false;
            Platform.Throw.IfFailed(_file!.SyncData(), "sync", _chunk.Path);
        }
    }
}
