using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// The background thread that runs checkpoints: when the journal or the memory asks for one, and once when the database has come to rest.
/// Asleep, it costs nothing: only a commit wakes it.
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

    internal Flusher(
        Action checkpoint, Func<TransactionId> newest, Func<TransactionId> onDisk, Action<Exception> report, ITurns? turns)
    {
        _checkpoint = checkpoint;
        _newest = newest;
        _onDisk = onDisk;
        _report = report;
        _gate = new WaitGate(turns);
        _thread = new EngineThread(turns, "Voron flusher", givesWay: true, Run);
    }

    /// <summary>Why the last checkpoint failed; null when it did not.</summary>
    internal Exception? Trouble => Volatile.Read(ref _trouble);

    /// <summary>How often the thread has gone on after waiting.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>Nothing is left to do: the thread waits for a commit, for as long as it takes.</summary>
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
                _asked = true;
                _gate.PulseAll();
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
                _asleep = false;
                _gate.PulseAll();
            }
        }
    }

    /// <summary>Asks for a checkpoint and waits until one that began afterwards has ended, well or badly.</summary>
    internal void AskAndWait()
    {
        using (_gate.Hold())
        {
            long wanted = _begun + 1;
            _awaited = wanted;
            _asked = true;
            _gate.PulseAll();
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

    private void Run()
    {
        TransactionId lastSeen = _newest();
        while (WaitForWork(ref lastSeen))
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

    /// <summary>Returns when a checkpoint was asked for or nothing was committed for a while; false when it is time to end.</summary>
    private bool WaitForWork(ref TransactionId lastSeen)
    {
        using (_gate.Hold())
        {
            while (!_stop && !_asked)
            {
                // Said before looking: a commit after the look finds the flusher asleep and wakes it.
                _asleep = true;
                Interlocked.MemoryBarrier();
                TransactionId newest = _newest();
                bool isPending = newest != _onDisk() && Trouble is not StoragePoisonedException;
                _asleep = !isPending;
                bool isRested = !_gate.Wait(isPending ? Rest * (1 << _failures) : Timeout.InfiniteTimeSpan);
                _wakeUps++;
                if (isRested && newest == lastSeen && newest == _newest())
                {
                    break;
                }

                lastSeen = newest;
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
