using Voron.Storage.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// Keeps the next commit chunk ready. A background thread, which exists only while it creates a chunk, does this while the current chunk
/// is in use, so that the switch costs a commit nothing. Without a thread (simulated disks) the chunk is created when it is needed. If
/// the background attempt fails, the chunk is created again when it is needed, and that caller gets the error.
/// <para>One thread at a time takes and requests chunks. The fields are its own while no request is open, and the worker's otherwise.
/// </para>
/// </summary>
internal sealed class ChunkSupply : IDisposable
{
    private readonly ChunkPool _pool;
    private readonly Worker? _worker;
    private readonly BackgroundPace? _pace;
    private long _nextSequence;
    private long _previousSequence;
    private long _wantedBytes;
    private Chunk? _ready;
    private volatile bool _isAwaited;

    /// <param name="pool">Creates the chunks.</param>
    /// <param name="highestSequence">The highest sequence of any chunk so far.</param>
    /// <param name="latency">How background work slows commits; null for no thread.</param>
    /// <param name="usedShare">Returns the used share of the current chunk.</param>
    internal ChunkSupply(ChunkPool pool, long highestSequence, CommitLatency? latency, Func<double> usedShare)
    {
        _pool = pool;
        _nextSequence = highestSequence + 1;
        if (latency is not null)
        {
            _worker = new Worker("Voron chunk supply", () => _ready = Prepare(_previousSequence, _wantedBytes, _pace));
            _pace = new BackgroundPace(latency, filled => _isAwaited || _worker.IsStopping || filled < usedShare() ? 1 : 0);
        }
    }

    /// <inheritdoc cref="Worker.WakeUps"/>
    internal long WakeUps => _worker?.WakeUps ?? 0;

    /// <summary>Returns the ready chunk, or creates one. Throws StorageFullException if there is no space; nothing is lost then.</summary>
    internal Chunk Take(long previousSequence, long wantedBytes, long neededBytes)
    {
        _isAwaited = true;
        _worker?.WaitForAsked();
        _isAwaited = false;
        if (_ready is { } ready)
        {
            _ready = null;
            if (ready.Bytes >= neededBytes)
            {
                return ready;
            }

            // Too small for one large record. The larger chunk names the same predecessor, so recovery does not miss this one.
            _pool.Discard(ready);
        }

        return Prepare(previousSequence, Math.Max(wantedBytes, neededBytes), pace: null);
    }

    /// <summary>Starts creating the chunk after this one, if there is a background thread.</summary>
    internal void Request(long previousSequence, long wantedBytes)
    {
        _previousSequence = previousSequence;
        _wantedBytes = wantedBytes;
        _worker?.Ask();
    }

    public void Dispose()
    {
        _worker?.Dispose();
        if (_ready is { } unused)
        {
            _ready = null;
            _pool.Discard(unused);
        }
    }

    private Chunk Prepare(long previousSequence, long bytes, BackgroundPace? pace) =>
        _pool.Prepare(_nextSequence++, previousSequence, bytes, pace);
}
