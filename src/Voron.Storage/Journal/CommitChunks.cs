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

    /// <summary>The chunk that holds the last record of earlier lives; 0 when there is none.</summary>
    private readonly long _lastSequence;

    /// <param name="files">The journal directory.</param>
    /// <param name="start">What was found in the journal.</param>
    /// <param name="maxChunkBytes">Chunks are not made longer for convenience than this.</param>
    /// <param name="latency">What commits say about work in the background; null for none.</param>
    /// <param name="usedShare">How much of the present chunk is used.</param>
    internal CommitChunks(JournalFiles files, JournalStart start, long maxChunkBytes, CommitLatency? latency, Func<double> usedShare)
    {
        _files = files;
        _gate = new Gate(files.Turns);
        _chunks = [.. start.Chunks];
        _pool = new ChunkPool(files, ChunkKind.Commit, maxChunkBytes);
        _supply = new ChunkSupply(_pool, start.HighestSequence, latency, usedShare, files.Turns);
        _lastSequence = start.LastPosition.Sequence;
    }

    /// <summary>The chunk that commits go to; null before the first commit of this life needs one.</summary>
    internal CommitChunk? Current { get; private set; }

    /// <summary>How often the thread that makes chunks has gone on after waiting.</summary>
    internal long SupplyWakeUps => _supply.WakeUps;

    /// <summary>Length of the present chunk; 0 when there is none yet.</summary>
    internal long CurrentBytes => Current?.Chunk.Bytes ?? 0;

    /// <summary>The newest chunk; 0 when there is none.</summary>
    internal long LastSequence
    {
        get
        {
            using (_gate.Hold())
            {
                return _chunks.Count == 0 ? 0 : _chunks[^1].Sequence;
            }
        }
    }

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
        Open(Current?.Chunk.Sequence ?? _lastSequence, _pool.NextSize(CurrentBytes, 0), recordBytes);

    internal void GoOverTo(CommitChunk next) => Current = next;

    /// <summary>
    /// Has the first chunk made in the background, where there is one; the first commit waits for it, or makes it itself.
    /// </summary>
    internal void Prepare() => _supply.Request(_lastSequence, FormatConstants.MinChunkBytes);

    /// <summary>
    /// Makes the first chunk of a new database now and gives its sequence, for the header slot to name: so it stays, used or not.
    /// </summary>
    internal long PrepareFirst()
    {
        Current = OpenNext(0);
        return Current.Chunk.Sequence;
    }

    /// <summary>
    /// Gives back the chunks before the one with this position; the present one stays. One that the file system refuses to rename or delete
    /// is tried again the next time; the result says why.
    /// </summary>
    internal StorageException? Recycle(JournalPosition needed)
    {
        long present = Present;
        return Recycle(chunk => IsFree(chunk, needed, present));
    }

    /// <summary>
    /// Whether there are chunks between the last record that counts and the present one which no header slot names: transactions that were
    /// rolled back filled them.
    /// </summary>
    internal bool HasUnneeded(JournalPosition last, long named)
    {
        using (_gate.Hold())
        {
            return _chunks.Exists(chunk => IsUnneeded(chunk, last, named, Present));
        }
    }

    /// <summary>Gives those chunks back, once both header slots say that nothing stands in them.</summary>
    internal StorageException? RecycleUnneeded(JournalPosition last, long named)
    {
        long present = Present;
        return Recycle(chunk => IsUnneeded(chunk, last, named, present));
    }

    private long Present => Current?.Chunk.Sequence ?? long.MaxValue;

    private static bool IsUnneeded(in Chunk chunk, JournalPosition last, long named, long present) =>
        chunk.Sequence > last.Sequence && chunk.Sequence < present && chunk.Sequence != named;

    private StorageException? Recycle(Predicate<Chunk> isFree)
    {
        List<Chunk> free;
        long wanted;
        using (_gate.Hold())
        {
            free = _chunks.FindAll(isFree);
            _chunks.RemoveAll(free.Contains);
            wanted = _pool.NextSize(CurrentBytes, 0);
        }

        StorageException? refusal = null;
        foreach (Chunk chunk in free)
        {
            if (_pool.TryRecycle(chunk, wanted) is { } refused)
            {
                refusal ??= refused;
                PutBack(chunk);
            }
        }

        return refusal;
    }

    /// <summary>In order of sequence: the last chunk in the list is the newest.</summary>
    private void PutBack(Chunk chunk)
    {
        using (_gate.Hold())
        {
            int later = _chunks.FindIndex(other => other.Sequence > chunk.Sequence);
            _chunks.Insert(later < 0 ? _chunks.Count : later, chunk);
        }
    }

    /// <summary>Ends the background work and closes the present chunk.</summary>
    public void Dispose()
    {
        _supply.Dispose();
        Current?.Dispose();
    }

    /// <summary>Nothing in the chunk is needed, and nothing is written to it any more.</summary>
    private static bool IsFree(in Chunk chunk, JournalPosition needed, long present) =>
        chunk.Sequence < needed.Sequence && chunk.Sequence < present;

    private CommitChunk Open(long previousSequence, long wantedBytes, int recordBytes)
    {
        Chunk chunk = _supply.Take(previousSequence, wantedBytes, _pool.NextSize(0, recordBytes));
        CommitChunk opened = new(_files.Disk, chunk);
        using (_gate.Hold())
        {
            _chunks.Add(chunk);
        }

        _supply.Request(chunk.Sequence, _pool.NextSize(chunk.Bytes, 0));
        return opened;
    }
}
