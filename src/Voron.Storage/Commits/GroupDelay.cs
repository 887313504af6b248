using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// Lets a group fill before it is written. The callers of the previous group have just returned, and most come back at once with their
/// next transaction. Without a delay every write would carry half of the callers, because the others are always in the previous write.
/// So the leader waits while callers keep arriving: for at most half of a write's time, and only until none has arrived for a sixteenth
/// of it. If a wait does not pay, it is skipped for some groups, with exponential backoff. A caller without company never waits.
/// </summary>
internal sealed class GroupDelay(CommitLatency latency)
{
    /// <summary>The share of a write's time without an arrival after which the wait ends.</summary>
    private const double Quiet = 1 / 16d;

    /// <summary>The longest wait, as a share of a write's time.</summary>
    private const double Longest = 1 / 2d;

    /// <summary>Bounds the wait if the clock does not advance.</summary>
    private const int MostYields = 10_000;

    private readonly WaitBackoff _backoff = new();

    /// <summary>Number of awaited commits in the filling group once all callers have come back.</summary>
    private int _expected;

    /// <summary>Notes that a write has ended and its callers continue. The caller holds the journal's gate.</summary>
    internal void Ended(CommitGroup? ended, CommitGroup filling) =>
        _expected = ended is null ? 0 : filling.Awaited + ended.Awaited - ended.Sources.Count;

    /// <summary>Whether waiting for expected callers may pay. The caller holds the journal's gate and is to write the group.</summary>
    internal bool IsDue(CommitGroup filling) => !filling.IsEmpty && filling.Awaited < _expected && !_backoff.Skips();

    /// <summary>
    /// Waits until the group should be written. The caller has reserved the write and has left the gate, so that others can join the group.
    /// </summary>
    /// <param name="filling">The group.</param>
    /// <param name="hurry">Becomes non-zero when a thread blocks on the journal write; the delay then ends at once.</param>
    internal void Wait(CommitGroup filling, ref readonly int hurry)
    {
        if (Scheduling.Current is not null)
        {
            // The scheduler let other threads run when the gate was left.
            return;
        }

        int first = filling.Awaited;
        int seen = first;
        double write = latency.Typical;
        long start = latency.Now;
        long last = start;
        for (int i = 0; i < MostYields && seen < _expected && Volatile.Read(in hurry) == 0; i++)
        {
            EngineThread.Yield();
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

        _backoff.Ended(paid: 2 * (seen - first) >= _expected - first);
    }
}
