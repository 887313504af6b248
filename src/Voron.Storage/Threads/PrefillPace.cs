
namespace Voron.Storage.Threads;

/// <summary>
/// Rests while a chunk is filled with zeros, so as not to slow concurrent commits. It rests only while the chunk fills at least as fast
/// as the current one is used up, and not if it falls behind or a caller waits for it.
/// </summary>
/// <param name="latency">How pieces slow commits.</param>
/// <param name="isBehind">Returns whether the filled share is too small by now.</param>
internal sealed class PrefillPace(CommitLatency latency, Func<double, bool> isBehind)
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
            EngineThread.Rest(rest);
        }
    }

    /// <summary>Ends the filling. Discards the piece that was in progress when the write failed.</summary>
    internal void End()
    {
        if (_isInPiece)
        {
            _isInPiece = false;
            latency.CancelPiece();
        }
    }
}
