using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// How the only caller of the journal waits for the end of the write that it started. To sleep and be woken takes as long as half of a
/// fast device's write. To spin takes longer still, because the system thread that completes the write may wait for this very processor.
/// So the caller yields, again and again, and looks between for the end. It sleeps where yielding cannot pay: when the device takes too
/// long, when callers share writes, and when a yield shows that another thread needs the processor.
/// </summary>
internal sealed class CompletionWait(CommitLatency latency)
{
    /// <summary>The longest wait without sleep; also the longest typical write that is waited for in this way.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMicroseconds(200);

    /// <summary>The longest yield to the system's own threads; during a longer one another thread had work to do.</summary>
    private static readonly TimeSpan LongestYield = TimeSpan.FromMicroseconds(50);

    /// <summary>Bounds the wait if the clock does not advance.</summary>
    private const int MostYields = 1_000;

    /// <summary>Writes that are slept for after one that callers shared.</summary>
    private const int LeftOutForCompany = 16;

    private const int MostLeftOut = 64;

    /// <summary>Number of writes to sleep for: those left now, and those after the next wait that does not pay.</summary>
    private int _leftOut;
    private int _leaveOut = 1;

    /// <summary>Yields until the write has ended, or until the caller had better sleep.</summary>
    internal void UntilEnded(IWriteInFlight write)
    {
        if (write.HasEnded || Scheduling.Current is not null || latency.Typical > latency.TicksOf(Longest))
        {
            return;
        }

        if (_leftOut > 0)
        {
            _leftOut--;
            return;
        }

        bool paid = Yield(write);
        _leftOut = paid ? 0 : _leaveOut;
        _leaveOut = paid ? 1 : Math.Min(2 * _leaveOut, MostLeftOut);
    }

    /// <summary>Sleeps for the next writes: callers share them, and need the processor.</summary>
    internal void LeaveOut() => _leftOut = Math.Max(_leftOut, LeftOutForCompany);

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
            if (now - before > latency.TicksOf(LongestYield) || now - start > latency.TicksOf(Longest))
            {
                return false;
            }

            before = now;
        }

        return false;
    }
}
