namespace Voron.Storage.Threads;

/// <summary>
/// Background work that a thread does whenever it is asked for. The thread begins with a request and ends when there is nothing to wait
/// for. A request while the work runs begins no other run, because that run may serve it; <see cref="AskAndWait"/> always gets a run that
/// began afterwards.
/// <para>If the system has no thread to give, nothing happens: the next request tries again.</para>
/// </summary>
internal sealed class Worker : IDisposable
{
    private readonly Action _work;
    private readonly Func<bool, TimeSpan?> _watch;
    private readonly Action<Exception>? _report;
    private readonly WaitGate _gate;
    private readonly EngineThread _thread;

    /// <summary>Set from a request until its run has ended. Changed with the gate held, like all below but the trouble.</summary>
    private volatile bool _isAsked;
    private volatile bool _isAsleep;
    private volatile bool _stop;
    private long _begun;
    private long _ended;
    private long _rests;

    /// <summary>Number of the run that a thread waits for.</summary>
    private long _awaited;
    private Exception? _trouble;

    /// <param name="name">Name of the thread, for debuggers.</param>
    /// <param name="work">The work.</param>
    /// <param name="watch">
    /// Called with the gate held while nothing is asked for. Its argument says whether a whole wait has passed without a request. It
    /// returns how long to wait for one, zero to run the work, or null to end the thread, which is also the default.
    /// </param>
    /// <param name="report">
    /// Gets each error of the work. Without it, errors of disk and memory are dropped, because a later caller that needs the result does
    /// the work itself and gets the error; others are defects and end the process.
    /// </param>
    internal Worker(string name, Action work, Func<bool, TimeSpan?>? watch = null, Action<Exception>? report = null)
    {
        _work = work;
        _watch = watch ?? (static _ => null);
        _report = report;
        _gate = new WaitGate();
        _thread = new EngineThread(name, ThreadRank.GivesWay, Run);
        _isAsleep = true;
    }

    /// <summary>The error of the last run; null if it succeeded.</summary>
    internal Exception? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Number of runs that have failed since the last one that succeeded.</summary>
    internal int Failures { get; private set; }

    /// <summary>How often a run has begun or a wait has ended.</summary>
    internal long WakeUps => Volatile.Read(ref _begun) + Volatile.Read(ref _rests);

    /// <summary>Whether the work is asked for or runs.</summary>
    internal bool IsAsked => _isAsked;

    /// <summary>Whether there is no thread, or it is about to end.</summary>
    internal bool IsAsleep => _isAsleep;

    /// <summary>Whether the owner has begun to dispose it.</summary>
    internal bool IsStopping => _stop;

    /// <summary>Asks for the work, unless it was asked for and has not ended.</summary>
    internal void Ask()
    {
        if (!_isAsked)
        {
            using (_gate.Hold())
            {
                _isAsked |= TryWake();
            }
        }
    }

    /// <summary>Begins the thread, if it is asleep, for its watch.</summary>
    internal void Wake()
    {
        if (_isAsleep)
        {
            using (_gate.Hold())
            {
                TryWake();
            }
        }
    }

    /// <summary>Asks for the work and waits until a run that began afterwards has ended, whether it succeeded or not.</summary>
    internal void AskAndWait()
    {
        using (_gate.Hold())
        {
            if (!TryWake() && !_stop)
            {
                Throw.NoThread();
            }

            _isAsked = true;
            _awaited = _begun + 1;
            WaitForEndOf(_awaited);
        }
    }

    /// <summary>Waits until the present run has ended, whether it succeeded or not; returns false if none runs.</summary>
    internal bool WaitForRunning()
    {
        using (_gate.Hold())
        {
            bool runs = _ended < _begun;
            WaitForEndOf(_begun);
            return runs;
        }
    }

    /// <summary>Waits until the work neither runs nor is asked for.</summary>
    internal void WaitForAsked()
    {
        using (_gate.Hold())
        {
            while (_isAsked && !_stop)
            {
                _gate.Wait();
            }
        }
    }

    /// <summary>Ends all waits, and the thread after its present run. The thread itself may call this.</summary>
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

    private void WaitForEndOf(long run)
    {
        while (_ended < run && !_stop)
        {
            _gate.Wait();
        }
    }

    /// <summary>Begins the thread if needed; false if the system gives no thread, or if this is being disposed.</summary>
    private bool TryWake()
    {
        _gate.AssertHeld();
        _gate.PulseAll();
        bool runs = !_stop && _thread.TryBegin();
        _isAsleep &= !runs;
        return runs;
    }

    private void Run()
    {
        while (WaitForRequest())
        {
            RunOnce();
            using (_gate.Hold())
            {
                _ended = _begun;
                _isAsked = _awaited > _begun;
                _gate.PulseAll();
            }
        }
    }

    /// <summary>Returns true when a run has begun, and false when the thread has to return.</summary>
    private bool WaitForRequest()
    {
        using (_gate.Hold())
        {
            bool isRested = false;
            while (!_isAsked && !_stop)
            {
                // Set before the watch: whatever happens after it finds the worker asleep and begins the thread again.
                _isAsleep = true;
                Interlocked.MemoryBarrier();
                if (_watch(isRested) is not { } rest)
                {
                    _thread.End();
                    return false;
                }

                _isAsleep = false;
                _isAsked = rest == TimeSpan.Zero;
                if (!_isAsked)
                {
                    isRested = !_gate.Wait(rest);
                    _rests++;
                }
            }

            _begun += _stop ? 0 : 1;
            return !_stop;
        }
    }

    private void RunOnce()
    {
        try
        {
            _work();
            Volatile.Write(ref _trouble, null);
            Failures = 0;
        }
        catch (Exception error) when (_report is not null || error is StorageException or OutOfMemoryException)
        {
            Volatile.Write(ref _trouble, error);
            Failures++;
            _report?.Invoke(error);
        }
    }
}
