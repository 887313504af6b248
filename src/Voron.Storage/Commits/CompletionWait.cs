using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// How the only caller of the journal waits for the end of the write that it started. To sleep and be woken adds to the time of a fast
/// device's write. To spin adds more, because the system thread that completes the write may wait for this very processor. So the caller
/// yields, again and again, and looks between for the end. It sleeps where yielding cannot pay: when the device takes too long, when
/// callers share writes, and when a yield shows that another thread needs the processor.
/// </summary>
internal sealed class CompletionWait(CommitLatency latency)
{
    /// <summary>Bounds the wait if the clock does not advance.</summary>
    private const int MostYields = 1_000;

    /// <summary>Writes that are slept for after one that callers shared.</summary>
    private const int SkippedForCompany = 16;

    /// <summary>The longest wait without sleep, and the longest typical write that is waited for in this way, in ticks.</summary>
    private readonly double _longest = latency.TicksOf(TimeSpan.FromMicroseconds(200));

    /// <summary>The longest yield to the system's own threads, in ticks; during a longer one another thread had work to do.</summary>
    private readonly double _longestYield = latency.TicksOf(TimeSpan.FromMicroseconds(50));

    private readonly WaitBackoff _backoff = new();

    /// <summary>Yields until the write has ended, or until the caller had better sleep.</summary>
    internal void UntilEnded(IWriteInFlight write)
    {
        if (!write.HasEnded && latency.Typical <= _longest && !_backoff.Skips())
        {
            _backoff.Ended(paid: Yield(write));
        }
    }

    /// <summary>Sleeps for the next writes: callers share them, and need the processor.</summary>
    internal void SkipForCompany() => _backoff.SkipAtLeast(SkippedForCompany);

    private bool Yield(IWriteInFlight write)
    {
        long start = latency.Now;
        long before = start;
        for (int i = 0; i < MostYields; i++)
        {
            EngineThread.Yield();
            if (write.HasEnded)
            {
                return true;
            }

            long now = latency.Now;
            if (now - before > _longestYield || now - start > _longest)
            {
                return false;
            }

            before = now;
        }

        return false;
    }
}
