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

    /// <summary>Spares of a journal that is hardly used.</summary>
    internal const int FewSpares = 2;

    /// <summary>Spares of a journal under load: each saves writing a chunk twice, and they take the room that the journal had.</summary>
    internal const int ManySpares = 64;

    private const int PieceBytes = 256 << 10;
    private const int MostCutBytes = 1 << 20;

    /// <summary>Pieces in which a chunk of the usual length is deleted: commits wait while the file system frees one.</summary>
    private const int MostCuts = 16;

    private readonly JournalFiles _files;
    private readonly ChunkKind _kind;
    private readonly Gate _gate;
    private readonly List<(string Path, long Bytes)> _spares = [];
    private readonly long _maxChunkBytes;
    private readonly long _cutBytes;

    /// <param name="files">The journal directory.</param>
    /// <param name="kind">The journal that the chunks belong to.</param>
    /// <param name="maxChunkBytes">Longest chunk in bytes, except for a single item that needs more.</param>
    internal ChunkPool(JournalFiles files, ChunkKind kind, long maxChunkBytes = FormatConstants.MaxChunkBytes)
    {
        _files = files;
        _kind = kind;
        _maxChunkBytes = Math.Clamp(maxChunkBytes, FormatConstants.MinChunkBytes, FormatConstants.MaxChunkBytes);
        _cutBytes = Math.Clamp(_maxChunkBytes / MostCuts, FormatConstants.MinChunkBytes, MostCutBytes);
        _gate = new Gate();
        files.SpareRoom.Add(TryDeleteMost);
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
    /// chunks, otherwise deletes it. If the file system refuses, returns the reason; nothing is lost, and the caller may try again.
    /// A chunk that no longer exists counts as recycled: an earlier call that failed may have taken effect.
    /// </summary>
    /// <param name="chunk">The chunk.</param>
    /// <param name="wantedBytes">Length of the next chunk.</param>
    /// <param name="spares">How many spares there may be.</param>
    /// <param name="pace">When to rest between the pieces of a deletion; null to delete the chunk at once.</param>
    internal StorageException? TryRecycle(Chunk chunk, long wantedBytes, int spares, BackgroundPace? pace)
    {
        bool isRead = _files.AreReadOutside();
        string spare = _files.SparePath(_kind, chunk.Sequence);
        using (_gate.Hold())
        {
            bool suits = _spares.Count < spares && chunk.Bytes >= wantedBytes && chunk.Bytes <= FormatConstants.MaxChunkBytes;
            if (suits && !isRead)
            {
                IoError kept = _files.Disk.Rename(chunk.Path, spare);
                if (!kept.Failed)
                {
                    _spares.Add((spare, chunk.Bytes));
                }

                return Refusal(kept, "rename", chunk.Path);
            }
        }

        if (pace is null || chunk.Bytes <= _cutBytes || isRead)
        {
            return Refusal(_files.Disk.Delete(chunk.Path), "delete", chunk.Path);
        }

        // Recovery reads no spare, so one may be shorter than its header says.
        IoError renamed = _files.Disk.Rename(chunk.Path, spare);
        return renamed.Failed ? Refusal(renamed, "rename", chunk.Path) : DeleteInPieces(spare, chunk.Bytes, pace);
    }

    /// <summary>Deletes spares that are shorter than the next chunk, and the oldest of those that are too many.</summary>
    internal StorageException? TrimSpares(long wantedBytes, int most, BackgroundPace pace)
    {
        StorageException? refusal = null;
        while (TakeNeedless(wantedBytes, most) is ({ } path, var bytes))
        {
            refusal = DeleteInPieces(path, bytes, pace) ?? refusal;
        }

        return refusal;
    }

    /// <summary>
    /// Deletes all spares but a few, with which commits can go on for a while, because the disk is full. False if there were no more than
    /// those. Throws if the directory cannot be synced.
    /// </summary>
    private bool TryDeleteMost()
    {
        bool hasDeleted = false;
        while (TakeNeedless(wantedBytes: 0, FewSpares) is ({ } path, _))
        {
            hasDeleted |= !_files.Disk.Delete(path).Failed;
        }

        if (hasDeleted)
        {
            // Until the name is gone for good, a file system may keep the space.
            IO.Throw.IfFailed(_files.Disk.SyncDirectory(_files.Directory), "sync", _files.Directory);
        }

        return hasDeleted;
    }

    private (string Path, long Bytes)? TakeNeedless(long wantedBytes, int most)
    {
        using (_gate.Hold())
        {
            int index = _spares.FindIndex(spare => spare.Bytes < wantedBytes);
            index = index < 0 && _spares.Count > most ? 0 : index;
            if (index < 0)
            {
                return null;
            }

            (string Path, long Bytes) needless = _spares[index];
            _spares.RemoveAt(index);
            return needless;
        }
    }

    /// <summary>Deletes a spare a piece at a time. One that cannot be cut is deleted at once.</summary>
    private StorageException? DeleteInPieces(string spare, long bytes, BackgroundPace pace)
    {
        if (bytes > _cutBytes && !_files.Disk.OpenFile(spare, FileOpening.None, out IDiskFile? file).Failed)
        {
            using (file)
            {
                bool isCut = true;
                for (long left = bytes - _cutBytes; left > 0 && isCut; left -= _cutBytes)
                {
                    pace.BeginPiece();
                    isCut = !file!.SetLength(left).Failed;
                    pace.EndPiece();
                }
            }
        }

        return Refusal(_files.Disk.Delete(spare), "delete", spare);
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
            IO.Throw.IfFailed(_files.SpareRoom.Allocate(file!, bytes), "grow", path, bytes);
            if (_kind == ChunkKind.Commit)
            {
                WriteZeros(file!, bytes, pace);
            }

            IO.Throw.IfFailed(file!.SyncData(), "sync", path);

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
