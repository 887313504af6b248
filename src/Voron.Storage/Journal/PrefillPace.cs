using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Rests while a chunk is filled with zeros beside commits: as long as they need, while the chunk fills at least as fast as the one in use
/// is used up; none when it falls behind or somebody waits for it.
/// </summary>
/// <param name="latency">What commits say about pieces.</param>
/// <param name="isBehind">Whether the share that is filled is too small by now.</param>
/// <param name="turns">Decides who runs, in tests of schedules.</param>
internal sealed class PrefillPace(CommitLatency latency, Func<double, bool> isBehind, ITurns? turns = null)
{
    private static readonly TimeSpan ShortestRest = TimeSpan.FromMilliseconds(1);

    private long _began;
    private long _commitsSeen;
    private bool _isInPiece;

    internal void BeginPiece()
    {
        _began = latency.BeginPiece();
        _isInPiece = true;
    }

    internal void EndPiece(double filledShare)
    {
        _isInPiece = false;
        TimeSpan rest = latency.EndPiece(_began, ref _commitsSeen);
        if (rest >= ShortestRest && !isBehind(filledShare))
        {
            EngineThread.Rest(turns, rest);
        }
    }

    /// <summary>The chunk is filled, or could not be; a piece that failed is none any more.</summary>
    internal void End()
    {
        if (_isInPiece)
        {
            _isInPiece = false;
            latency.CancelPiece();
        }
    }
}
