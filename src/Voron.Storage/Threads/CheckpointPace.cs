
namespace Voron.Storage.Threads;

/// <summary>
/// How long the flusher rests between pieces. A commit that meets a piece takes longer; how much longer is measured all the time, and the
/// rests are so long that all commits together lose only a small share of their time. Nobody commits: no rest. Writers come close to
/// their limit: the rests get shorter, and there are none when somebody waits for the checkpoint.
/// </summary>
/// <param name="latency">What commits say about pieces.</param>
/// <param name="urgency">0: take all the time that commits need; 1: somebody waits.</param>
internal sealed class CheckpointPace(CommitLatency? latency, Func<double> urgency)
{
    /// <summary>What is written between two rests. A commit that meets it waits for it; many small ones hold up more commits.</summary>
    internal const int PieceBytes = 256 << 10;

    /// <summary>And never more than so many places in a file.</summary>
    internal const int PieceWrites = 64;

    private static readonly TimeSpan ShortestRest = TimeSpan.FromMilliseconds(1);

    private long _began;
    private bool _isInPiece;
    private long _commitsSeen;

    /// <summary>No rests and no account: for the closing checkpoint, beside which nobody commits.</summary>
    internal static CheckpointPace Full { get; } = new(null, static () => 1);

    internal void BeginPiece()
    {
        if (latency is not null)
        {
            _began = latency.BeginPiece();
            _isInPiece = true;
        }
    }

    internal void EndPiece()
    {
        if (latency is null)
        {
            return;
        }

        _isInPiece = false;
        TimeSpan rest = latency.EndPiece(_began, ref _commitsSeen);
        double haste = urgency();
        if (haste < 1 && rest * (1 - haste) is var shortened && shortened >= ShortestRest)
        {
            EngineThread.Rest(shortened);
        }
    }

    /// <summary>The checkpoint is over; a piece that failed is none any more.</summary>
    internal void End()
    {
        if (_isInPiece)
        {
            _isInPiece = false;
            latency!.CancelPiece();
        }
    }
}
