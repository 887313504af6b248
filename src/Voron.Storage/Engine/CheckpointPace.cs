using Voron.Storage.Journal;

namespace Voron.Storage.Engine;

/// <summary>
/// How long the flusher rests between pieces. A commit that meets a piece takes longer; how much longer is measured all the time, and the
/// rests are so long that all commits together lose only a small share of their time. Nobody commits: no rest. Writers come close to
/// their limit: the rests get shorter, and there are none when somebody waits for the checkpoint.
/// </summary>
/// <param name="time">Measures pieces.</param>
/// <param name="latency">What commits say about pieces.</param>
/// <param name="urgency">0: take all the time that commits need; 1: somebody waits.</param>
internal sealed class CheckpointPace(TimeProvider time, CommitLatency latency, Func<double> urgency)
{
    /// <summary>Pages between two rests.</summary>
    internal const int PiecePages = 64;

    /// <summary>The share of their time that commits may lose to a checkpoint.</summary>
    private const double MostLoss = 0.08;

    private const double MostRestPerWork = 12;

    private static readonly TimeSpan ShortestRest = TimeSpan.FromMilliseconds(1);

    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(50);

    private long _began;
    private long _commitsBefore;

    /// <summary>No rests: for a checkpoint that somebody waits for, and for simulated disks.</summary>
    internal static CheckpointPace Full { get; } = new(TimeProvider.System, new CommitLatency(TimeProvider.System), static () => 1);

    internal void BeginPiece()
    {
        _began = time.GetTimestamp();
        latency.IsPieceInFlight = true;
    }

    internal void EndPiece()
    {
        latency.IsPieceInFlight = false;
        long commits = latency.Count;
        bool isAnyoneThere = commits != _commitsBefore;
        _commitsBefore = commits;
        double haste = urgency();
        if (haste >= 1 || !isAnyoneThere)
        {
            return;
        }

        TimeSpan rest = RestAfter(time.GetElapsedTime(_began), latency.Quiet, latency.Disturbed) * (1 - haste);
        if (rest >= ShortestRest)
        {
            Thread.Sleep(rest);
        }
    }

    /// <summary>
    /// Commits that meet a piece lose 1 − quiet ⁄ disturbed of their time; so much of all time that the loss stays within its share is
    /// rest.
    /// </summary>
    internal static TimeSpan RestAfter(TimeSpan work, double quiet, double disturbed)
    {
        double loss = disturbed > quiet && disturbed > 0 ? 1 - (quiet / disturbed) : 0;
        double restPerWork = Math.Clamp((loss / MostLoss) - 1, 0, MostRestPerWork);
        TimeSpan rest = work * restPerWork;
        return rest > LongestRest ? LongestRest : rest;
    }
}
