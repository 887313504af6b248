using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// Slows writers between the soft and the hard limit: at pressure p a transaction is followed by a wait of p ⁄ (1 − p) times its own
/// length, so writers keep 1 − p of their speed and the checkpoint catches up before they reach the hard limit. No thread holds the writer
/// lock while it waits here.
/// </summary>
internal sealed class WriterBrake(TimeProvider time)
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(100);

    /// <summary>What a task keeps that is delayed.</summary>
    private static readonly TimeSpan ShortestDelay = TimeSpan.FromMilliseconds(1);

    private readonly Gate _gate = new();
    private long _lastBegin;
    private TimeSpan _owed;
    private long _slowed;

    /// <summary>Number of write transactions that waited here.</summary>
    internal long Slowed => Volatile.Read(ref _slowed);

    /// <summary>Waits before a write transaction as long as the pressure demands.</summary>
    internal void Apply(double pressure)
    {
        if (WaitFor(pressure, EngineThread.ShortestRest) is var wait && wait > TimeSpan.Zero)
        {
            EngineThread.Rest(wait);
            Volatile.Write(ref _lastBegin, time.GetTimestamp());
        }
    }

    /// <summary>Like <see cref="Apply"/>, without blocking a thread.</summary>
    internal async ValueTask ApplyAsync(double pressure, CancellationToken cancellationToken)
    {
        if (WaitFor(pressure, ShortestDelay) is var wait && wait > TimeSpan.Zero)
        {
            await Task.Delay(wait, time, cancellationToken).ConfigureAwait(false);
            Volatile.Write(ref _lastBegin, time.GetTimestamp());
        }
    }

    /// <summary>Returns the wait of a transaction that follows the one before it after this time.</summary>
    internal static TimeSpan WaitAfter(TimeSpan transaction, double pressure)
    {
        TimeSpan wait = transaction * (pressure / (1 - pressure));
        return wait > LongestWait ? LongestWait : wait;
    }

    private TimeSpan WaitFor(double pressure, TimeSpan shortest)
    {
        if (pressure <= 0 || pressure >= 1)
        {
            // At 1 writers wait for the checkpoint itself.
            Volatile.Write(ref _lastBegin, 0);
            return TimeSpan.Zero;
        }

        TimeSpan wait = TakeWait(pressure, shortest);
        if (wait > TimeSpan.Zero)
        {
            Interlocked.Increment(ref _slowed);
        }

        return wait;
    }

    /// <summary>Waits shorter than the system can keep are added up and taken later.</summary>
    private TimeSpan TakeWait(double pressure, TimeSpan shortest)
    {
        using (_gate.Hold())
        {
            long now = time.GetTimestamp();
            if (_lastBegin != 0)
            {
                _owed += WaitAfter(time.GetElapsedTime(_lastBegin, now), pressure);
            }

            _lastBegin = now;
            TimeSpan wait = _owed < shortest ? TimeSpan.Zero : _owed < LongestWait ? _owed : LongestWait;
            _owed -= wait;
            return wait;
        }
    }
}
