using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// The chunks of the commit journal: the current one, which commits are written to, earlier ones that recovery may need, and ready ones.
/// </summary>
internal sealed class CommitChunks : IDisposable
{
    /// <summary>As many chunks as this are in use after a checkpoint if commits went on meanwhile.</summary>
    private const int ChunksUnderLoad = 3;

    private readonly JournalFiles _files;
    private readonly ChunkPool _pool;
    private readonly ChunkSupply _supply;
    private readonly Gate _gate;
    private readonly List<Chunk> _chunks;

    /// <summary>The chunk that holds the last record found on opening; 0 if there is none.</summary>
    private readonly long _lastSequence;

    /// <param name="files">The journal directory.</param>
    /// <param name="start">The state of the journal after recovery.</param>
    /// <param name="maxChunkBytes">Longest chunk in bytes, except for a record that needs more.</param>
    /// <param name="latency">How background work slows commits; null for no background work.</param>
    /// <param name="usedShare">Returns the used share of the current chunk.</param>
    internal CommitChunks(JournalFiles files, JournalStart start, long maxChunkBytes, CommitLatency? latency, Func<double> usedShare)
    {
        _files = files;
        _gate = new Gate();
        _chunks = [.. start.Chunks];
        _pool = new ChunkPool(files, ChunkKind.Commit, maxChunkBytes);
        _supply = new ChunkSupply(_pool, start.HighestSequence, latency, usedShare);
        _lastSequence = start.LastPosition.Sequence;
    }

    /// <summary>The chunk that commits are written to; null until the first commit after opening needs one.</summary>
    internal CommitChunk? Current { get; private set; }

    /// <summary>How many chunks the background thread has begun to create.</summary>
    internal long SupplyWakeUps => _supply.WakeUps;

    /// <summary>Length of the current chunk in bytes; 0 if there is none yet.</summary>
    internal long CurrentBytes => Current?.Chunk.Bytes ?? 0;

    /// <summary>
    /// Returns the sequence of the first of these chunks that must stay for later readers of the changes, whatever recovery needs; the
    /// second argument is the first one that recovery needs. Null if there are no such readers.
    /// </summary>
    internal Func<IReadOnlyList<Chunk>, long, long>? FirstKept { get; set; }

    /// <summary>Sequence of the newest chunk; 0 if there is none.</summary>
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

    /// <summary>Length of all chunks in bytes, including spares.</summary>
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

    /// <summary>Opens the next chunk, with room for a record of this length. Throws StorageFullException if it cannot be created.</summary>
    internal CommitChunk OpenNext(int recordBytes) =>
        Open(Current?.Chunk.Sequence ?? _lastSequence, _pool.NextSize(CurrentBytes, 0), recordBytes);

    internal void GoOverTo(CommitChunk next) => Current = next;

    /// <summary>
    /// Starts creating the first chunk in the background, if there is a thread; the first commit waits for it or creates it itself.
    /// </summary>
    internal void Prepare() => _supply.Request(_lastSequence, FormatConstants.MinChunkBytes);

    /// <summary>
    /// Creates the first chunk of a new database now and returns its sequence. The header slot names it, so it is kept, used or not.
    /// </summary>
    internal long PrepareFirst()
    {
        Current = OpenNext(0);
        return Current.Chunk.Sequence;
    }

    /// <summary>
    /// Recycles the chunks before the one with this position, except the current one. If the file system refuses to rename or delete a
    /// chunk, returns the reason; the next call tries again.
    /// </summary>
    internal StorageException? Recycle(JournalPosition needed, BackgroundPace? pace)
    {
        JournalPosition first = FirstNeeded(needed);
        long present = Present;
        return Recycle(chunk => IsFree(chunk, first, present), pace);
    }

    /// <summary>The place from which on all chunks stay: the first one of all needs.</summary>
    private JournalPosition FirstNeeded(JournalPosition recovery)
    {
        long kept = SequenceKept(recovery.Sequence);
        return kept < recovery.Sequence ? new JournalPosition(kept, 0) : recovery;
    }

    private long SequenceKept(long needed)
    {
        if (FirstKept is not { } firstKept)
        {
            return long.MaxValue;
        }

        List<Chunk> chunks;
        using (_gate.Hold())
        {
            chunks = [.. _chunks];
        }

        return firstKept(chunks, needed);
    }

    /// <summary>
    /// Whether there are chunks between the last valid record and the current chunk that no header slot names: rolled-back transactions
    /// filled them.
    /// </summary>
    internal bool HasUnneeded(JournalPosition last, long named)
    {
        using (_gate.Hold())
        {
            return _chunks.Exists(chunk => IsUnneeded(chunk, last, named, Present));
        }
    }

    /// <summary>Recycles those chunks. Call only once both header slots say that they hold no records.</summary>
    internal StorageException? RecycleUnneeded(JournalPosition last, long named)
    {
        long present = Present;
        return Recycle(chunk => IsUnneeded(chunk, last, named, present), pace: null);
    }

    /// <summary>Whether <see cref="CutAll"/> would shorten a chunk.</summary>
    internal bool HasLong
    {
        get
        {
            long kept = SequenceKept(0);
            using (_gate.Hold())
            {
                return _chunks.Exists(chunk => IsLong(chunk, kept));
            }
        }
    }

    /// <summary>
    /// Shortens the chunks that are left, the current one too. Call only at the close, once both header slots say that they hold no records
    /// after the last checkpoint: whichever slot the next open uses, it reads nothing from them then.
    /// </summary>
    internal StorageException? CutAll()
    {
        List<Chunk> longOnes;
        long kept = SequenceKept(0);
        using (_gate.Hold())
        {
            longOnes = _chunks.FindAll(chunk => IsLong(chunk, kept));
        }

        StorageException? refusal = null;
        foreach (Chunk chunk in longOnes)
        {
            refusal = _pool.TryCut(chunk) ?? refusal;
        }

        return refusal;
    }

    private static bool IsLong(Chunk chunk, long kept) => chunk.Bytes > FormatConstants.MinChunkBytes && chunk.Sequence < kept;

    private long Present => Current?.Chunk.Sequence ?? long.MaxValue;

    private static bool IsUnneeded(in Chunk chunk, JournalPosition last, long named, long present) =>
        chunk.Sequence > last.Sequence && chunk.Sequence < present && chunk.Sequence != named;

    /// <summary>Keeps the free chunks as spares for a load that goes on, which needs them again, and a few if it has ended.</summary>
    private StorageException? Recycle(Predicate<Chunk> isFree, BackgroundPace? pace)
    {
        List<Chunk> free;
        long wanted;
        int spares;
        using (_gate.Hold())
        {
            free = _chunks.FindAll(isFree);
            _chunks.RemoveAll(free.Contains);
            spares = _chunks.Count < ChunksUnderLoad ? ChunkPool.FewSpares : ChunkPool.ManySpares;
            wanted = _pool.NextSize(CurrentBytes, 0);
        }

        StorageException? refusal = null;
        foreach (Chunk chunk in free)
        {
            if (_pool.TryRecycle(chunk, wanted, spares, pace) is { } refused)
            {
                refusal ??= refused;
                PutBack(chunk);
            }
        }

        return (pace is null ? null : _pool.TrimSpares(wanted, spares, pace)) ?? refusal;
    }

    /// <summary>Reinserts a chunk in order of sequence: the last one in the list must be the newest.</summary>
    private void PutBack(Chunk chunk)
    {
        using (_gate.Hold())
        {
            int later = _chunks.FindIndex(other => other.Sequence > chunk.Sequence);
            _chunks.Insert(later < 0 ? _chunks.Count : later, chunk);
        }
    }

    /// <summary>Ends the background work and closes the current chunk.</summary>
    public void Dispose()
    {
        _supply.Dispose();
        Current?.Dispose();
    }

    /// <summary>Whether the chunk is neither needed for recovery nor still written to.</summary>
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
