namespace Voron.Storage.Extensions.Tests;

/// <summary>A clock that a test moves. Its timers ring when it passes their time, on the thread that moves it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<Timer> _timers = [];
    private DateTimeOffset _now = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);

    internal DateTimeOffset Now
    {
        get
        {
            lock (_gate)
            {
                return _now;
            }
        }

        set
        {
            while (NextDue(value) is { } due)
            {
                due.Ring();
            }
        }
    }

    /// <summary>Number of timers that will ring.</summary>
    internal int Timers
    {
        get
        {
            lock (_gate)
            {
                return _timers.Count;
            }
        }
    }

    public override DateTimeOffset GetUtcNow() => Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Timer timer = new(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>The timer that rings first up to a time; if there is none, it is that time.</summary>
    private Timer? NextDue(DateTimeOffset until)
    {
        lock (_gate)
        {
            Timer? first = _timers.Where(timer => timer.Due <= until).MinBy(static timer => timer.Due);
            _now = first?.Due ?? until;
            if (first?.Again() == false)
            {
                _timers.Remove(first);
            }

            return first;
        }
    }

    private sealed class Timer(ManualTime time, Action ring) : ITimer
    {
        private TimeSpan _period;

        internal DateTimeOffset Due { get; private set; }

        internal Action Ring { get; } = ring;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._gate)
            {
                time._timers.Remove(this);
                _period = period;
                if (dueTime >= TimeSpan.Zero)
                {
                    Due = time._now + dueTime;
                    time._timers.Add(this);
                }
            }

            return true;
        }

        /// <summary>False when it does not ring a second time.</summary>
        internal bool Again()
        {
            Due += _period;
            return _period > TimeSpan.Zero;
        }

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
