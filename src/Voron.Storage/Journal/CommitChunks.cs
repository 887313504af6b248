using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The chunks of the commit journal: the one that commits go to, those before it that recovery may need, and those that stand ready.
/// </summary>
internal sealed class CommitChunks : IDisposable
{
    private readonly JournalFiles _files;
    private readonly ChunkPool _pool;
    private readonly ChunkSupply _supply;
    private readonly Gate _gate;
    private readonly List<Chunk> _chunks;

    internal CommitChunks(JournalFiles files, JournalStart start, bool background)
    {
        _files = files;
        _gate = new Gate(files.Turns);
        _chunks = [.. start.Chunks];
        _pool = new ChunkPool(files, ChunkKind.Commit);
        _supply = new ChunkSupply(_pool, start.HighestSequence, background, files.Turns);
        try
        {
            Current = Open(start.LastPosition.Sequence, FormatConstants.MinChunkBytes, 0);
        }
        catch
        {
            _supply.Dispose();
            throw;
        }
    }

    internal CommitChunk Current { get; private set; }

    /// <summary>Length of all chunks, spare ones included.</summary>
    internal long Bytes
    {
        get
        {
            using (_gate.Hold())
            {
                return _chunks.Sum(static chunk => chunk.Bytes) + _pool.SpareBytes;
            }
        }
    }

    /// <summary>The next chunk, with room for a record of this length. Throws StorageFullException when it cannot be made.</summary>
    internal CommitChunk OpenNext(int recordBytes) =>
        Open(Current.Chunk.Sequence, ChunkPool.NextSize(Current.Chunk.Bytes, 0), recordBytes);

    internal void GoOverTo(CommitChunk next) => Current = next;

    /// <summary>Gives back the chunks before the one with this position; the present one stays.</summary>
    internal void Recycle(JournalPosition needed)
    {
        List<Chunk> free;
        long wanted;
        using (_gate.Hold())
        {
            long present = Current.Chunk.Sequence;
            free = _chunks.FindAll(chunk => chunk.Sequence < needed.Sequence && chunk.Sequence < present);
            _chunks.RemoveAll(free.Contains);
            wanted = ChunkPool.NextSize(Current.Chunk.Bytes, 0);
        }

        foreach (Chunk chunk in free)
        {
            _pool.Recycle(chunk, wanted);
        }
    }

    /// <summary>Removes the present chunk, in which no record ever stood.</summary>
    internal void DiscardCurrent()
    {
        // The one that was ready names the present one as its predecessor: its end must be durable before the present one goes.
        if (!_files.Disk.SyncDirectory(_files.Directory).Failed)
        {
            _pool.Discard(Current.Chunk);
        }
    }

    /// <summary>Ends the background work and closes the present chunk.</summary>
    public void Dispose()
    {
        _supply.Dispose();
        Current.Dispose();
    }

    private CommitChunk Open(long previousSequence, long wantedBytes, int recordBytes)
    {
        Chunk chunk = _supply.Take(previousSequence, wantedBytes, ChunkPool.NextSize(0, recordBytes));
        CommitChunk opened = new(_files.Disk, chunk);
        using (_gate.Hold())
        {
            _chunks.Add(chunk);
        }

        _supply.Request(chunk.Sequence, ChunkPool.NextSize(chunk.Bytes, 0));
        return opened;
    }
}
