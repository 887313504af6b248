using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Journal;

/// <summary>
/// Creates and recycles the chunks of one journal. A chunk is ready once its header is durable under its final name and the directory
/// entry is synced; a commit chunk's space must also be written, not merely allocated. Only then may its contents count. All this happens
/// off the commit path, on descriptors that are closed afterwards.
/// </summary>
internal sealed class ChunkPool
{
    /// <summary>How many times longer than wanted a spare may be that becomes a chunk.</summary>
    internal const int MostSpareFactor = 4;

    private const int PieceBytes = 256 << 10;
    private const int MaxSpares = 2;

    private readonly JournalFiles _files;
    private readonly ChunkKind _kind;
    private readonly Gate _gate;
    private readonly List<(string Path, long Bytes)> _spares = [];
    private readonly long _maxChunkBytes;

    /// <param name="files">The journal directory.</param>
    /// <param name="kind">The journal that the chunks belong to.</param>
    /// <param name="maxChunkBytes">Longest chunk in bytes, except for a single item that needs more.</param>
    internal ChunkPool(JournalFiles files, ChunkKind kind, long maxChunkBytes = FormatConstants.MaxChunkBytes)
    {
        _files = files;
        _kind = kind;
        _maxChunkBytes = Math.Clamp(maxChunkBytes, FormatConstants.MinChunkBytes, FormatConstants.MaxChunkBytes);
        _gate = new Gate();
    }

    /// <summary>Length of the spare chunks in bytes.</summary>
    internal long SpareBytes
    {
        get
        {
            using (_gate.Hold())
            {
                return _spares.Sum(static spare => spare.Bytes);
            }
        }
    }

    /// <summary>Returns the size of the chunk after one of the given size, with room for at least that many bytes of body.</summary>
    internal long NextSize(long currentBytes, long bodyBytes)
    {
        long doubled = Math.Clamp(currentBytes * 2, FormatConstants.MinChunkBytes, _maxChunkBytes);
        long needed = (bodyBytes + FormatConstants.ChunkBodyOffset + FormatConstants.BlockBytes - 1)
            / FormatConstants.BlockBytes * FormatConstants.BlockBytes;
        return Math.Max(doubled, needed);
    }

    /// <summary>Makes a chunk ready. Throws if there is no space, and leaves nothing behind.</summary>
    internal Chunk Prepare(long sequence, long previousSequence, long bytes, BackgroundPace? pace = null)
    {
        (string spare, long spareBytes) = TakeSpare(bytes);
        if (spareBytes == 0)
        {
            spare = _files.SparePath(_kind, sequence);
            spareBytes = bytes;
            Fill(spare, bytes, pace);
        }

        Chunk chunk = new(_files.PathOf(_kind, sequence), sequence, MakeSalt(), spareBytes) { PreviousSequence = previousSequence };
        try
        {
            WriteHeader(spare, chunk);
            IO.Throw.IfFailed(_files.Disk.Rename(spare, chunk.Path), "rename", spare);
        }
        catch
        {
            // A spare that failed once is not used again, and its space is needed.
            _files.Disk.Delete(spare);
            throw;
        }

        IO.Throw.IfFailed(_files.Disk.SyncDirectory(_files.Directory), "sync", _files.Directory);

        return chunk;
    }

    /// <summary>
    /// Recycles a chunk that is no longer needed: keeps it as a spare if there are few spares, its size suits and no other process reads
    /// chunks, otherwise deletes it. If
    /// the file system refuses, returns the reason; the chunk is unchanged and the caller may try again. A chunk that no longer exists
    /// counts as recycled: an earlier call that failed may have taken effect.
    /// </summary>
    internal StorageException? TryRecycle(Chunk chunk, long wantedBytes)
    {
        using (_gate.Hold())
        {
            bool suits = _spares.Count < MaxSpares && chunk.Bytes >= wantedBytes && chunk.Bytes <= FormatConstants.MaxChunkBytes;
            if (suits && !_files.AreReadOutside())
            {
                string spare = _files.SparePath(_kind, chunk.Sequence);
                IoError renamed = _files.Disk.Rename(chunk.Path, spare);
                if (!renamed.Failed)
                {
                    _spares.Add((spare, chunk.Bytes));
                }

                return Refusal(renamed, "rename", chunk.Path);
            }
        }

        return Refusal(_files.Disk.Delete(chunk.Path), "delete", chunk.Path);
    }

    /// <summary>
    /// Shortens a chunk of which nothing is read any more to the least length of a chunk. Its header says so first: a file that is shorter
    /// than its header says counts as damaged. If the file system refuses, returns the reason.
    /// </summary>
    internal StorageException? TryCut(Chunk chunk)
    {
        try
        {
            WriteHeader(chunk.Path, chunk with { Bytes = FormatConstants.MinChunkBytes });
            IO.Throw.IfFailed(_files.Disk.OpenFile(chunk.Path, FileOpening.None, out IDiskFile? file), "open", chunk.Path);
            using (file)
            {
                return Refusal(file!.SetLength(FormatConstants.MinChunkBytes), "cut", chunk.Path);
            }
        }
        catch (StorageException error)
        {
            return error;
        }
    }

    /// <summary>
    /// Deletes a chunk without valid contents. If that fails, the chunk does no harm and is recycled after the next open of the
    /// environment.
    /// </summary>
    internal void Discard(Chunk chunk) => _files.Disk.Delete(chunk.Path);

    private static StorageException? Refusal(IoError error, string operation, string path) =>
        error.Failed && error.Kind != IoErrorKind.NotFound ? IO.Throw.Make(error, operation, path) : null;

    private (string Path, long Bytes) TakeSpare(long bytes)
    {
        using (_gate.Hold())
        {
            int index = -1;
            for (int i = 0; i < _spares.Count; i++)
            {
                // Take the smallest that fits, but none that is much too long: a few bytes in it may keep it in use for a long time.
                long spareBytes = _spares[i].Bytes;
                if (spareBytes >= bytes && spareBytes <= bytes * MostSpareFactor && (index < 0 || spareBytes < _spares[index].Bytes))
                {
                    index = i;
                }
            }

            if (index < 0)
            {
                return default;
            }

            (string Path, long Bytes) found = _spares[index];
            _spares.RemoveAt(index);
            return found;
        }
    }

    private void Fill(string path, long bytes, BackgroundPace? pace)
    {
        IO.Throw.IfFailed(
            _files.Disk.OpenFile(path, FileOpening.Create | FileOpening.Unbuffered, out IDiskFile? file), "create", path);
        bool filled = false;
        try
        {
            IO.Throw.IfFailed(file!.Allocate(bytes), "grow", path, bytes);
            if (_kind == ChunkKind.Commit)
            {
                WriteZeros(file, bytes, pace);
            }

            IO.Throw.IfFailed(file.SyncData(), "sync", path);

            filled = true;
        }
        finally
        {
            pace?.End();
            file!.Dispose();
            if (!filled)
            {
                // Free the space, which others may need now; if this fails too, nothing changes.
                _files.Disk.Delete(path);
            }
        }
    }

    /// <summary>
    /// Fills a chunk with zeros. A commit's write into space that is only allocated costs extra metadata writes of the file system; into
    /// written space it costs one write. Bypasses the cache and pauses between pieces, so that concurrent commits are hardly slowed.
    /// </summary>
    private static void WriteZeros(IDiskFile file, long bytes, BackgroundPace? pace)
    {
        using AlignedBuffer zeros = AlignedBuffer.Allocate((int)Math.Min(bytes, PieceBytes));
        for (long at = 0; at < bytes; at += zeros.LengthBytes)
        {
            int piece = (int)Math.Min(zeros.LengthBytes, bytes - at);
            pace?.BeginPiece();
            IO.Throw.IfFailed(file.Write(at, zeros.Slice(0, piece)), "write", file.Path, at);
            pace?.EndPiece((at + piece) / (double)bytes);
        }
    }

    private ulong MakeSalt()
    {
        uint random = 0;
        _files.Disk.FillRandom(MemoryMarshal.AsBytes(new Span<uint>(ref random)));
        return _files.DatabaseId.MakeSalt(random);
    }

    private void WriteHeader(string path, in Chunk chunk)
    {
        ChunkHeader header = new()
        {
            Magic = FormatConstants.ChunkMagic,
            Kind = _kind,
            FormatVersion = FormatConstants.FormatVersion,
            DatabaseIdLow = _files.DatabaseId.Low,
            DatabaseIdHigh = _files.DatabaseId.High,
            Sequence = chunk.Sequence,
            Salt = chunk.Salt,
            PreviousSequence = chunk.PreviousSequence,
            ChunkBytes = chunk.Bytes,
        };
        byte[] block = new byte[FormatConstants.BlockBytes];
        MemoryMarshal.Write(block, in header);
        header.Checksum = Checksum.Compute(block.AsSpan(sizeof(ulong), ChunkHeader.SizeBytes - sizeof(ulong)));
        MemoryMarshal.Write(block, in header);
        IO.Throw.IfFailed(_files.Disk.OpenFile(path, FileOpening.None, out IDiskFile? file), "open", path);
        using (file)
        {
            IO.Throw.IfFailed(file!.Write(0, block), "write", path, 0);
            IO.Throw.IfFailed(file.SyncData(), "sync", path);
        }
    }
}
