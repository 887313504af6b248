using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// The background thread that runs checkpoints: when the journal or the memory needs one, and once when the database has become idle. With
/// nothing to do it ends and costs nothing; only a commit begins it again.
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

    /// <summary>Number of the checkpoint that a thread waits for.</summary>
    private long _awaited;
    private volatile bool _asleep;
    private volatile bool _stop;
    private long _begun;
    private long _ended;
    private int _failures;
    private long _wakeUps;
    private Exception? _trouble;

    /// <summary>The newest transaction when the thread last continued after a wait, or ended.</summary>
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

    /// <summary>The error of the last checkpoint; null if it succeeded.</summary>
    internal Exception? Trouble => Volatile.Read(ref _trouble);

    /// <summary>How often the thread has continued after a wait.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>Whether nothing is left to do: there is no thread until a commit begins one.</summary>
    internal bool IsAsleep => _asleep;

    /// <summary>Whether a thread waits for a checkpoint that has not begun.</summary>
    internal bool IsAwaited => Volatile.Read(ref _awaited) > Volatile.Read(ref _begun);

    /// <summary>Asks for a checkpoint now.</summary>
    internal void Ask()
    {
        if (!_asked)
        {
            using (_gate.Hold())
            {
                // If the system gives no thread, the next commit asks again.
                _asked = TryWake();
            }
        }
    }

    /// <summary>Notes a commit: a sleeping flusher begins to watch for idleness.</summary>
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

    /// <summary>Waits until the running checkpoint has ended, whether it succeeded or not; returns false if none runs.</summary>
    internal bool WaitForRunning()
    {
        using (_gate.Hold())
        {
            long running = _begun;
            bool runs = _ended < running;
            while (_ended < running && !_stop)
            {
                _gate.Wait();
            }

            return runs;
        }
    }

    /// <summary>Asks for a checkpoint and waits until one that began afterwards has ended, whether it succeeded or not.</summary>
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

    /// <summary>Begins the thread if needed; false if the system gives no thread, and then the flusher stays asleep.</summary>
    private bool TryWake()
    {
        _gate.AssertHeld();
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

                // Commits asked again while it ran, by counters that only its end resets: the next one asks again if it is needed.
                _asked = IsAwaited;
                _gate.PulseAll();
            }
        }
    }

    /// <summary>
    /// Waits until a checkpoint was asked for or nothing was committed for a while. Returns false, with the thread ended, if there is
    /// nothing to wait for.
    /// </summary>
    private bool WaitForWork()
    {
        using (_gate.Hold())
        {
            while (!_stop && !_asked)
            {
                // Set before the check: a commit after it finds the flusher asleep and begins it again.
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
            // A background thread must not end the process: the error is reported, and thrown to writers that wait for this checkpoint.
            Volatile.Write(ref _trouble, error);
            _failures = Math.Min(_failures + 1, LongestBackOffShift);
            _report(error);
        }
    }
}
