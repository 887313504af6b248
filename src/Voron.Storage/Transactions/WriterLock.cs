using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// One writer at a time. Has no thread affinity: the transaction may be ended by another thread than the one that began it. Threads and
/// asynchronous callers wait in one line.
/// <para>Whoever comes when the lock is free takes it, past the line: a thread that is woken takes so long to come that a lock handed from
/// one to the next would be idle most of the time. But the first in line is passed over only so often; then, and always when it is an
/// asynchronous caller, the lock is handed to it.</para>
/// </summary>
internal sealed class WriterLock(ITurns? turns = null, TimeProvider? time = null)
{
    private const int MostPassedOver = 32;

    /// <summary>A transaction of one put is over before a thread would be asleep, and waking one takes longer than both.</summary>
    private const int Spins = 40;

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly Gate _gate = new(turns);
    private readonly WriterLine _line = new();

    /// <summary>Turns of threads that wait no more. A plain stack: a concurrent bag would keep alive what the turns know.</summary>
    private readonly Stack<WriterTurn> _idle = new();

    /// <summary>Never waited for in a schedule under test, where one thread runs at a time and none stops within.</summary>
    private readonly Gate _idleGate = new(turns: null);
    private int _held;
    private int _waiting;
    private long _waits;

    /// <summary>How often somebody had to wait in line.</summary>
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
                // Not what the spin itself would do then: it sleeps now and again, and an interrupted thread would leave with an exception.
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

    /// <summary>As <see cref="TryEnter"/>, without a thread that waits.</summary>
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
            // Free before looking: who joined the line and found the lock held is seen here.
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

    /// <summary>Takes the lock if it is free, and leaves the line.</summary>
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

        // A schedule under test has the rest run where its thread asks for it.
        return await turn.Completion.ConfigureAwait(turns is not null);
    }

    private void GiveUp(WriterTurn turn, CancellationToken cancelled)
    {
        if (TryGiveUp(turn))
        {
            turn.GiveUp(cancelled);
        }
    }

    /// <summary>Leaves the line; false when the lock was handed over before.</summary>
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

        // A wake-up may have been meant for this turn: the next one gets it.
        if (Volatile.Read(ref _held) == 0)
        {
            LetFirstTry();
        }

        return true;
    }

    /// <summary>Hands the lock, which the caller holds, to the first in line, if that is due.</summary>
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

    /// <summary>The lock was left: the first in line is to try.</summary>
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
                    // Whoever took it looks at the line when he leaves.
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
