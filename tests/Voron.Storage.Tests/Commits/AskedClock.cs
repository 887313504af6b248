namespace Voron.Storage.Tests.Commits;

/// <summary>A clock that goes on by a fixed step whenever it is asked, and calls a test then.</summary>
internal sealed class AskedClock : TimeProvider
{
    private long _now;

    /// <summary>How often it was asked.</summary>
    internal int Asked { get; private set; }

    /// <summary>By how much it goes on each time.</summary>
    internal long Step { get; set; }

    /// <summary>Called each time, with how often it was asked.</summary>
    internal Action<int>? OnAsk { get; set; }

    public override long GetTimestamp()
    {
        Asked++;
        OnAsk?.Invoke(Asked);
        _now += Step;
        return _now;
    }

    internal void Advance(long ticks) => _now += ticks;

    /// <summary>Counts from here.</summary>
    internal void Restart(Action<int>? onAsk = null)
    {
        Asked = 0;
        OnAsk = onAsk;
    }
}
