using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// The background thread that runs checkpoints: when the journal or the memory asks for one, and once when the database has come to rest.
/// With nothing to do it ends, and costs nothing: only a commit begins it again.
/// </summary>
internal sealed class Flusher : IDisposable
{
    private const int LongestBackOffShift = 5;

    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(2);

    private readonly Action _checkpoint;
    private readonly Func<TransactionId> _newest;
    private readonly Func<TransactionId> _onDisk;
    private readonly Action<Exception> _report;
    private readonly WaitGate _gate;
    private readonly EngineThread _thread;
    private volatile bool _asked;

    /// <summary>The checkpoint that somebody waits for.</summary>
    private long _awaited;
    private volatile bool _asleep;
    private volatile bool _stop;
    private long _begun;
    private long _ended;
    private int _failures;
    private long _wakeUps;
    private Exception? _trouble;

    /// <summary>The newest transaction when the thread last went on after a wait, or ended.</summary>
    private TransactionId _lastSeen;

    internal Flusher(
        Action checkpoint, Func<TransactionId> newest, Func<TransactionId> onDisk, Action<Exception> report)
    {
        _checkpoint = checkpoint;
        _newest = newest;
        _onDisk = onDisk;
        _report = report;
        _gate = new WaitGate();
        _thread = new EngineThread("Voron flusher", givesWay: true, Run);
        _lastSeen = newest();
        _asleep = true;
        if (_lastSeen != onDisk())
        {
            Notice();
        }
    }

    /// <summary>Why the last checkpoint failed; null when it did not.</summary>
    internal Exception? Trouble => Volatile.Read(ref _trouble);

    /// <summary>How often the thread has gone on after waiting.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>Nothing is left to do: there is no thread until a commit begins one.</summary>
    internal bool IsAsleep => _asleep;

    /// <summary>Somebody waits for a checkpoint that has not begun.</summary>
    internal bool IsAwaited => Volatile.Read(ref _awaited) > Volatile.Read(ref _begun);

    /// <summary>Asks for a checkpoint now.</summary>
    internal void Ask()
    {
        if (!_asked)
        {
            using (_gate.Hold())
            {
                // Where the system gives no thread, the next commit asks again.
                _asked = TryWake();
            }
        }
    }

    /// <summary>Something was committed: a sleeping flusher begins to watch for rest.</summary>
    internal void Notice()
    {
        if (_asleep)
        {
            using (_gate.Hold())
            {
                TryWake();
            }
        }
    }

    /// <summary>Asks for a checkpoint and waits until one that began afterwards has ended, well or badly.</summary>
    internal void AskAndWait()
    {
        using (_gate.Hold())
        {
            if (!TryWake() && !_stop)
            {
                Threads.Throw.NoThread();
            }

            long wanted = _begun + 1;
            _awaited = wanted;
            _asked = true;
            while (_ended < wanted && !_stop)
            {
                _gate.Wait();
            }
        }
    }

    public void Dispose()
    {
        using (_gate.Hold())
        {
            _stop = true;
            _gate.PulseAll();
        }

        if (!_thread.IsCurrent)
        {
            _thread.Join();
        }
    }

    /// <summary>False: the system has no thread to give, so the flusher stays asleep. The caller holds the gate.</summary>
    private bool TryWake()
    {
        _gate.PulseAll();
        bool runs = !_stop && _thread.TryBegin();
        _asleep = _asleep && !runs;
        return runs;
    }

    private void Run()
    {
        while (WaitForWork())
        {
            Checkpoint();
            using (_gate.Hold())
            {
                _ended = _begun;

                // Commits went on asking while it ran, by what only its end tells anew: the next one asks again if there is reason.
                _asked = IsAwaited;
                _gate.PulseAll();
            }
        }
    }

    /// <summary>
    /// Returns when a checkpoint was asked for or nothing was committed for a while; false, and the thread has ended, when there is nothing
    /// to wait for.
    /// </summary>
    private bool WaitForWork()
    {
        using (_gate.Hold())
        {
            while (!_stop && !_asked)
            {
                // Said before looking: a commit after the look finds the flusher asleep and begins it again.
                _asleep = true;
                Interlocked.MemoryBarrier();
                TransactionId newest = _newest();
                if (newest == _onDisk() || Trouble is StoragePoisonedException)
                {
                    _lastSeen = newest;
                    _thread.End();
                    return false;
                }

                _asleep = false;
                bool isRested = !_gate.Wait(Rest * (1 << _failures));
                _wakeUps++;
                if (isRested && newest == _lastSeen && newest == _newest())
                {
                    break;
                }

                _lastSeen = newest;
            }

            _asleep = false;
            _asked = false;
            _begun++;
            return !_stop;
        }
    }

    private void Checkpoint()
    {
        try
        {
            _checkpoint();
            Volatile.Write(ref _trouble, null);
            _failures = 0;
        }
        catch (Exception error)
        {
            // A background thread must not end the process; the trouble is reported, and writers that wait for this checkpoint get it.
            Volatile.Write(ref _trouble, error);
            _failures = Math.Min(_failures + 1, LongestBackOffShift);
            _report(error);
        }
    }
}
