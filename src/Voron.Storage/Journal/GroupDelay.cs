using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Lets a batch fill before it is written. The callers of the batch before it have just gone on, and most come back at once with their
/// next transaction. Without them every write would carry half of the callers, because the others are always in the write before. So
/// whoever is to write waits while they keep coming: half as long as a write takes at most, and not when nobody came for a sixteenth of
/// it. Where that was in vain it is left out for some batches, for more each time. A caller without company never waits.
/// </summary>
internal sealed class GroupDelay(CommitLatency latency, ITurns? turns)
{
    /// <summary>The share of a write's time in which nobody comes before the wait ends.</summary>
    private const double Quiet = 1 / 16d;

    /// <summary>The share of a write's time that the wait takes at most.</summary>
    private const double Longest = 1 / 2d;

    /// <summary>For a clock that stands still.</summary>
    private const int MostYields = 10_000;

    private const int MostLeftOut = 64;

    /// <summary>So many awaited commits will be in the filling batch when everybody has come back.</summary>
    private int _expected;

    /// <summary>Batches for which no wait is tried: those left now, and those after the next wait in vain.</summary>
    private int _leftOut;
    private int _leaveOut = 1;

    /// <summary>A write has ended; its callers go on. The caller holds the journal's gate.</summary>
    internal void Ended(CommitBatch? ended, CommitBatch filling) =>
        _expected = ended is null ? 0 : filling.Awaited + ended.Awaited - ended.Sources.Count;

    /// <summary>Somebody is expected whose wait may pay. The caller holds the journal's gate and is to write the batch.</summary>
    internal bool IsDue(CommitBatch filling)
    {
        if (filling.IsEmpty || filling.Awaited >= _expected)
        {
            return false;
        }

        if (_leftOut > 0)
        {
            _leftOut--;
            return false;
        }

        return true;
    }

    /// <summary>
    /// Returns when the batch should be written. The caller has the right to write it and has left the gate, so that others can join it.
    /// </summary>
    /// <param name="filling">The batch.</param>
    /// <param name="hurry">Not 0 any more when somebody waits for the write itself.</param>
    internal void Wait(CommitBatch filling, ref readonly int hurry)
    {
        if (turns is not null)
        {
            // A schedule under test has let others run when the gate was left.
            return;
        }

        int first = filling.Awaited;
        int seen = first;
        double write = latency.Typical;
        long start = latency.Now;
        long last = start;
        for (int i = 0; i < MostYields && seen < _expected && Volatile.Read(in hurry) == 0; i++)
        {
            EngineThread.Yield(turns);
            int now = filling.Awaited;
            long time = latency.Now;
            if (now != seen)
            {
                seen = now;
                last = time;
            }

            if (time - last >= write * Quiet || time - start >= write * Longest)
            {
                break;
            }
        }

        bool paid = 2 * (seen - first) >= _expected - first;
        _leftOut = paid ? 0 : _leaveOut;
        _leaveOut = paid ? 1 : Math.Min(2 * _leaveOut, MostLeftOut);
    }
}
