using Voron.Storage.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// Keeps the next commit chunk ready. A background thread, which exists only while it creates a chunk, does this while the current chunk
/// is in use, so that the switch costs a commit nothing. Without a thread (simulated disks) the chunk is created when it is needed. If
/// the background attempt fails, the chunk is created again when it is needed, and that caller gets the error.
/// </summary>
internal sealed class ChunkSupply : IDisposable
{
    private readonly ChunkPool _pool;
    private readonly WaitGate _gate;
    private readonly EngineThread? _thread;
    private readonly BackgroundPace? _pace;
    private long _nextSequence;
    private long _previousSequence;
    private long _wantedBytes;
    private Chunk? _ready;
    private bool _requested;
    private bool _stop;
    private long _wakeUps;
    private volatile bool _awaited;

    /// <param name="pool">Creates the chunks.</param>
    /// <param name="highestSequence">The highest sequence of any chunk so far.</param>
    /// <param name="latency">How background work slows commits; null for no thread.</param>
    /// <param name="usedShare">Returns the used share of the current chunk.</param>
    internal ChunkSupply(ChunkPool pool, long highestSequence, CommitLatency? latency, Func<double> usedShare)
    {
        _pool = pool;
        _gate = new WaitGate();
        _nextSequence = highestSequence + 1;
        if (latency is not null)
        {
            _pace = new BackgroundPace(latency, filled => _awaited || _stop || filled < usedShare() ? 1 : 0);
            _thread = new EngineThread("Voron chunk supply", givesWay: true, Run);
        }
    }

    /// <summary>How many chunks the thread has begun to create.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>Returns the ready chunk, or creates one. Throws StorageFullException if there is no space; nothing is lost then.</summary>
    internal Chunk Take(long previousSequence, long wantedBytes, long neededBytes)
    {
        using (_gate.Hold())
        {
            _awaited = true;
            while (_requested)
            {
                _gate.Wait();
            }

            _awaited = false;
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
        }

        return _pool.Prepare(_nextSequence++, previousSequence, Math.Max(wantedBytes, neededBytes));
    }

    /// <summary>Starts creating the chunk after this one, if there is a background thread.</summary>
    internal void Request(long previousSequence, long wantedBytes)
    {
        if (_thread is null)
        {
            return;
        }

        using (_gate.Hold())
        {
            _previousSequence = previousSequence;
            _wantedBytes = wantedBytes;
            _requested = _thread.TryBegin();
        }
    }

    public void Dispose()
    {
        using (_gate.Hold())
        {
            _stop = true;
            _gate.PulseAll();
        }

        _thread?.Join();
        if (_ready is { } unused)
        {
            _ready = null;
            _pool.Discard(unused);
        }
    }

    private void Run()
    {
        while (true)
        {
            long sequence;
            using (_gate.Hold())
            {
                if (_stop || !_requested)
                {
                    _requested = false;
                    _gate.PulseAll();
                    _thread!.End();
                    return;
                }

                _wakeUps++;

                sequence = _nextSequence++;
            }

            Chunk? made = TryPrepare(sequence);
            using (_gate.Hold())
            {
                _ready = made;
                _requested = false;
                _gate.PulseAll();
            }
        }
    }

    private Chunk? TryPrepare(long sequence)
    {
        try
        {
            return _pool.Prepare(sequence, _previousSequence, _wantedBytes, _pace);
        }
        catch (Exception error) when (error is StorageException or OutOfMemoryException)
        {
            // Nothing needs the chunk yet. The caller that does creates it, and gets the error if it persists.
            return null;
        }
    }
}
