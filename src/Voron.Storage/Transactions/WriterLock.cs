using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// The writer lock: admits one writer at a time. It has no thread affinity, so another thread may end the transaction than the one that
/// began it. Threads and asynchronous callers wait in one queue.
/// <para>A caller that finds the lock free takes it, ahead of the queue: a woken thread takes so long to run that a lock handed from
/// waiter to waiter would be idle most of the time. The first waiter is passed over only a limited number of times; after that, and always
/// if it is an asynchronous caller, the lock is handed to it.</para>
/// </summary>
internal sealed class WriterLock(ITurns? turns = null, TimeProvider? time = null)
{
    private const int MostPassedOver = 32;

    /// <summary>A one-put transaction ends sooner than a thread falls asleep, and waking a thread takes longer than both.</summary>
    private const int Spins = 40;

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly Gate _gate = new(turns);
    private readonly WriterLine _line = new();

    /// <summary>Turns for reuse, of threads no longer waiting. A plain stack: a concurrent bag would keep the turns alive.</summary>
    private readonly Stack<WriterTurn> _idle = new();

    /// <summary>Never contended under the deterministic scheduler, which runs one thread at a time and does not switch inside.</summary>
    private readonly Gate _idleGate = new(turns: null);
    private int _held;
    private int _waiting;
    private long _waits;

    /// <summary>How often a caller had to queue.</summary>
    internal long Waits => Volatile.Read(ref _waits);

    internal bool TryEnter(TimeSpan timeout)
    {
        turns?.Pass(TurnPoint.Enter);
        if (TryTake())
        {
            return true;
        }

        if (timeout == TimeSpan.Zero)
        {
            return false;
        }

        SpinWait spin = default;
        for (int i = 0; turns is null && i < Spins; i++)
        {
            if (spin.NextSpinWillYield)
            {
                // SpinOnce would sometimes sleep here, and an interrupted thread would then leave with an exception.
                Thread.Yield();
            }
            else
            {
                spin.SpinOnce();
            }

            if (TryTake())
            {
                return true;
            }
        }

        WriterTurn turn = TakeIdle();
        bool entered = WaitInLine(turn, timeout);
        using (_idleGate.Hold())
        {
            _idle.Push(turn);
        }

        return entered;
    }

    private WriterTurn TakeIdle()
    {
        using (_idleGate.Hold())
        {
            if (_idle.TryPop(out WriterTurn? used))
            {
                return used;
            }
        }

        return new WriterTurn(turns, isAsync: false);
    }

    /// <summary>Like <see cref="TryEnter"/>, without blocking a thread.</summary>
    internal ValueTask<bool> TryEnterAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        turns?.Pass(TurnPoint.Enter);
        if (TryTake())
        {
            return ValueTask.FromResult(true);
        }

        if (timeout == TimeSpan.Zero)
        {
            return ValueTask.FromResult(false);
        }

        WriterTurn turn = new(turns, isAsync: true);
        Join(turn);
        return TryLeaveLine(turn) ? ValueTask.FromResult(true) : WaitInLineAsync(turn, timeout, cancellationToken);
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

        turns?.Pass(TurnPoint.Leave);
    }

    private bool TryTake() => Volatile.Read(ref _held) == 0 && Interlocked.CompareExchange(ref _held, 1, 0) == 0;

    private void Join(WriterTurn turn)
    {
        Interlocked.Increment(ref _waits);
        using (_gate.Hold())
        {
            turn.Begin();
            _line.Add(turn);
            Interlocked.Increment(ref _waiting);
        }
    }

    /// <summary>Takes the lock and leaves the queue, if the lock is free.</summary>
    private bool TryLeaveLine(WriterTurn turn)
    {
        if (!TryTake())
        {
            return false;
        }

        using (_gate.Hold())
        {
            Remove(turn);
        }

        return true;
    }

    private bool WaitInLine(WriterTurn turn, TimeSpan timeout)
    {
        long start = _time.GetTimestamp();
        Join(turn);
        bool isOver = false;
        while (true)
        {
            int seen = turn.Seen;
            if (turn.IsGranted || TryLeaveLine(turn))
            {
                return true;
            }

            if (isOver)
            {
                return !TryGiveUp(turn);
            }

            TimeSpan rest = timeout == Timeout.InfiniteTimeSpan ? timeout : timeout - _time.GetElapsedTime(start);
            isOver = (timeout != Timeout.InfiniteTimeSpan && rest <= TimeSpan.Zero) || !turn.Wait(seen, rest);
        }
    }

    private async ValueTask<bool> WaitInLineAsync(WriterTurn turn, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using ITimer? timer = timeout == Timeout.InfiniteTimeSpan
            ? null
            : _time.CreateTimer(_ => GiveUp(turn, default), null, timeout, Timeout.InfiniteTimeSpan);
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            (_, cancelled) => GiveUp(turn, cancelled), null);

        // Under the deterministic scheduler the continuation must run on the thread that awaits it.
        return await turn.Completion.ConfigureAwait(turns is not null);
    }

    private void GiveUp(WriterTurn turn, CancellationToken cancelled)
    {
        if (TryGiveUp(turn))
        {
            turn.GiveUp(cancelled);
        }
    }

    /// <summary>Leaves the queue; false if the lock was handed over before.</summary>
    private bool TryGiveUp(WriterTurn turn)
    {
        using (_gate.Hold())
        {
            if (!turn.IsInLine)
            {
                return false;
            }

            Remove(turn);
        }

        // A wake-up may have been spent on this turn: pass it on to the next one.
        if (Volatile.Read(ref _held) == 0)
        {
            LetFirstTry();
        }

        return true;
    }

    /// <summary>Hands the lock, which the caller holds, to the first waiter if that is async or was passed over too often.</summary>
    private bool TryHandOver()
    {
        WriterTurn first;
        using (_gate.Hold())
        {
            if (_line.First is not { } found || (!found.IsAsync && found.PassedOver < MostPassedOver))
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
        WriterTurn first;
        bool isGranted = false;
        using (_gate.Hold())
        {
            if (_line.First is not { } found)
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

    private void Remove(WriterTurn turn)
    {
        _line.Remove(turn);
        Interlocked.Decrement(ref _waiting);
    }
}
