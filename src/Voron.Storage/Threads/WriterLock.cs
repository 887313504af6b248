namespace Voron.Storage.Threads;

/// <summary>
/// The writer lock: admits one writer at a time. It has no thread affinity, so another thread may end the transaction than the one that
/// began it. Threads and asynchronous callers wait in one queue.
/// <para>A caller that finds the lock free takes it, ahead of the queue: a woken thread takes so long to run that a lock handed from
/// waiter to waiter would be idle most of the time. The first waiter is passed over only a limited number of times; after that, and always
/// if it is an asynchronous caller, the lock is handed to it.</para>
/// </summary>
internal sealed class WriterLock(TimeProvider? time = null)
{
    private const int MostPassedOver = 32;

    /// <summary>A one-put transaction ends sooner than a thread falls asleep, and waking a thread takes longer than both.</summary>
    private const int Spins = 40;

    /// <summary>Where other threads need the processor, each yield among the spins may last a time slice.</summary>
    private static readonly TimeSpan LongestSpin = TimeSpan.FromMicroseconds(100);

    /// <summary>The waiter of a thread, which waits for one lock at a time.</summary>
    [ThreadStatic]
    private static WriterWaiter? _ownWaiter;

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly Gate _gate = new();
    private readonly WriterQueue _queue = new();

    private int _held;
    private int _waiting;
    private int _spinning;
    private long _waits;

    /// <summary>How often a caller had to queue.</summary>
    internal long Waits => Volatile.Read(ref _waits);

    /// <summary>Whether a caller waits, or is about to. Background work that takes the lock again and again lets it go first.</summary>
    internal bool HasWaiters => Volatile.Read(ref _waiting) != 0 || Volatile.Read(ref _spinning) != 0;

    internal bool TryEnter(TimeSpan timeout)
    {
        Scheduling.Pass(SchedulingPoint.Enter);
        if (TryTake())
        {
            return true;
        }

        if (timeout == TimeSpan.Zero)
        {
            return false;
        }

        return TrySpin() || WaitInQueue(_ownWaiter ??= new WriterWaiter(isAsync: false), timeout);
    }

    /// <summary>Like <see cref="TryEnter"/>, without blocking a thread.</summary>
    internal ValueTask<bool> TryEnterAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Scheduling.Pass(SchedulingPoint.Enter);
        if (TryTake())
        {
            return ValueTask.FromResult(true);
        }

        if (timeout == TimeSpan.Zero)
        {
            return ValueTask.FromResult(false);
        }

        WriterWaiter waiter = new(isAsync: true);
        Join(waiter);
        return TryLeaveQueue(waiter) ? ValueTask.FromResult(true) : WaitInQueueAsync(waiter, timeout, cancellationToken);
    }

    internal void Exit()
    {
        if (Volatile.Read(ref _waiting) == 0 || !TryHandOver())
        {
            // Free the lock before reading _waiting: a caller that queued because it found the lock held is then seen here.
            Interlocked.Exchange(ref _held, 0);
            if (Volatile.Read(ref _waiting) != 0)
            {
                LetFirstTry();
            }
        }

        Scheduling.Pass(SchedulingPoint.Leave);
    }

    private bool TryTake() => Volatile.Read(ref _held) == 0 && Interlocked.CompareExchange(ref _held, 1, 0) == 0;

    private bool TrySpin()
    {
        Interlocked.Increment(ref _spinning);
        SpinWait spin = default;
        long start = _time.GetTimestamp();
        bool isTaken = false;
        for (int i = 0; i < Spins && !isTaken && _time.GetElapsedTime(start) < LongestSpin && EngineThread.Spin(ref spin); i++)
        {
            isTaken = TryTake();
        }

        Interlocked.Decrement(ref _spinning);
        return isTaken;
    }

    private void Join(WriterWaiter waiter)
    {
        Interlocked.Increment(ref _waits);
        using (_gate.Hold())
        {
            waiter.Begin();
            _queue.Add(waiter);
            Interlocked.Increment(ref _waiting);
        }
    }

    /// <summary>Takes the lock and leaves the queue, if the lock is free.</summary>
    private bool TryLeaveQueue(WriterWaiter waiter)
    {
        if (!TryTake())
        {
            return false;
        }

        using (_gate.Hold())
        {
            Remove(waiter);
        }

        return true;
    }

    private bool WaitInQueue(WriterWaiter waiter, TimeSpan timeout)
    {
        long start = _time.GetTimestamp();
        Join(waiter);
        bool isOver = false;
        while (true)
        {
            int seen = waiter.Seen;
            if (waiter.IsGranted || TryLeaveQueue(waiter))
            {
                return true;
            }

            if (isOver)
            {
                return !TryGiveUp(waiter);
            }

            TimeSpan rest = timeout == Timeout.InfiniteTimeSpan ? timeout : timeout - _time.GetElapsedTime(start);
            isOver = (timeout != Timeout.InfiniteTimeSpan && rest <= TimeSpan.Zero) || !waiter.Wait(seen, rest);
        }
    }

    private async ValueTask<bool> WaitInQueueAsync(WriterWaiter waiter, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using ITimer? timer = timeout == Timeout.InfiniteTimeSpan
            ? null
            : _time.CreateTimer(_ => GiveUp(waiter, default), null, timeout, Timeout.InfiniteTimeSpan);
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            (_, cancelled) => GiveUp(waiter, cancelled), null);

        return await waiter.Completion.OnAnyThread();
    }

    private void GiveUp(WriterWaiter waiter, CancellationToken cancelled)
    {
        if (TryGiveUp(waiter))
        {
            waiter.GiveUp(cancelled);
        }
    }

    /// <summary>Leaves the queue; false if the lock was handed over before.</summary>
    private bool TryGiveUp(WriterWaiter waiter)
    {
        using (_gate.Hold())
        {
            if (!waiter.IsQueued)
            {
                return false;
            }

            Remove(waiter);
        }

        // A wake-up may have been spent on this waiter: pass it on to the next one.
        if (Volatile.Read(ref _held) == 0)
        {
            LetFirstTry();
        }

        return true;
    }

    /// <summary>Hands the lock, which the caller holds, to the first waiter if that is async or was passed over too often.</summary>
    private bool TryHandOver()
    {
        WriterWaiter first;
        using (_gate.Hold())
        {
            if (_queue.First is not { } found || (!found.IsAsync && found.PassedOver < MostPassedOver))
            {
                return false;
            }

            first = found;
            Remove(first);
            first.Grant();
        }

        first.Tell();
        return true;
    }

    /// <summary>Called after the lock was freed: grants it to an async first waiter, or wakes a blocked one to try.</summary>
    private void LetFirstTry()
    {
        WriterWaiter first;
        bool isGranted = false;
        using (_gate.Hold())
        {
            if (_queue.First is not { } found)
            {
                return;
            }

            first = found;
            if (first.IsAsync)
            {
                if (!TryTake())
                {
                    // The caller that took the lock checks the queue when it leaves.
                    return;
                }

                Remove(first);
                first.Grant();
                isGranted = true;
            }
            else
            {
                first.PassedOver++;
            }
        }

        if (isGranted)
        {
            first.Tell();
        }
        else
        {
            first.Wake();
        }
    }

    private void Remove(WriterWaiter waiter)
    {
        _gate.AssertHeld();
        _queue.Remove(waiter);
        Interlocked.Decrement(ref _waiting);
    }
}
