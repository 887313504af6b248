using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Keeps the next commit chunk ready. With a thread, which is there while it makes one, that is done while the present one is in use, so
/// that going over to it costs a commit nothing; without one (simulated disks) it is made when it is needed. A failure is kept until the
/// chunk is asked for, and then the making is tried again.
/// </summary>
internal sealed class ChunkSupply : IDisposable
{
    private readonly ChunkPool _pool;
    private readonly WaitGate _gate;
    private readonly EngineThread? _thread;
    private readonly PrefillPace? _pace;
    private long _nextSequence;
    private long _previousSequence;
    private long _wantedBytes;
    private Chunk? _ready;
    private bool _requested;
    private bool _stop;
    private long _wakeUps;
    private volatile bool _awaited;

    /// <param name="pool">Makes the chunks.</param>
    /// <param name="highestSequence">No chunk has a higher one yet.</param>
    /// <param name="latency">What commits say about work in the background; null for no thread.</param>
    /// <param name="usedShare">How much of the chunk in use is used.</param>
    /// <param name="turns">Decides who runs, in tests of schedules.</param>
    internal ChunkSupply(ChunkPool pool, long highestSequence, CommitLatency? latency, Func<double> usedShare, ITurns? turns)
    {
        _pool = pool;
        _gate = new WaitGate(turns);
        _nextSequence = highestSequence + 1;
        if (latency is not null)
        {
            _pace = new PrefillPace(latency, filled => _awaited || _stop || filled < usedShare(), turns);
            _thread = new EngineThread(turns, "Voron chunk supply", givesWay: true, Run);
        }
    }

    /// <summary>How often a thread was begun.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>The ready chunk, or one made now. Throws StorageFullException when there is no room; nothing is lost by that.</summary>
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

                // Too small for one large record. The larger one names the same predecessor, so nobody misses this one.
                _pool.Discard(ready);
            }
        }

        return _pool.Prepare(_nextSequence++, previousSequence, Math.Max(wantedBytes, neededBytes));
    }

    /// <summary>Begins to make the chunk after this one.</summary>
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
            // Nothing needs the chunk yet. Whoever does makes it, and gets the fault if it is still there.
            return null;
        }
    }
}
