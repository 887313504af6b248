namespace Voron.Storage.Threads;

/// <summary>
/// Lets background work rest between its pieces, so that it slows commits little. How much longer a commit takes that overlaps a piece is
/// measured all the time; the rests keep the loss of all commits together at a small share of their time. There are none if no thread
/// commits, and they get shorter as the work becomes urgent.
/// </summary>
/// <param name="latency">How pieces slow commits; null for no rests at all.</param>
/// <param name="urgency">
/// Returns how urgent the work is when a share of it is done: 0 rests as long as commits need it, 1 does not rest.
/// </param>
internal sealed class BackgroundPace(CommitLatency? latency, Func<double, double> urgency)
{
    /// <summary>
    /// Bytes of a piece of a checkpoint. A commit that overlaps a piece waits for it; many small pieces slow more commits.
    /// </summary>
    internal const int PieceBytes = 256 << 10;

    /// <summary>Most writes of a piece of a checkpoint.</summary>
    internal const int PieceWrites = 64;

    /// <summary>How many times larger pieces are while no commit can begin.</summary>
    private const int LargePieces = 16;

    private static readonly TimeSpan ShortestRest = TimeSpan.FromMilliseconds(1);

    private long _began;
    private long _commitsSeen;
    private bool _isInPiece;

    /// <summary>No rests, for the closing checkpoint: no thread commits then. The action is called after each piece.</summary>
    internal static BackgroundPace Alone(Action? pieceEnded = null) => new(null, static _ => 1)
    {
        IsAlone = static () => true, PieceEnded = pieceEnded,
    };

    /// <summary>How many times larger than usual a piece may be now.</summary>
    internal int PieceFactor => IsAlone() ? LargePieces : 1;

    /// <summary>Returns whether no commit can begin now, so that large pieces slow none.</summary>
    internal Func<bool> IsAlone { private get; init; } = static () => false;

    private Action? PieceEnded { get; init; }

    internal void BeginPiece()
    {
        if (latency is not null)
        {
            _began = latency.BeginPiece();
            _isInPiece = true;
        }
    }

    /// <summary>Ends the piece, and rests.</summary>
    /// <param name="done">The share of the work that is done, where the urgency depends on it.</param>
    internal void EndPiece(double done = 0)
    {
        PieceEnded?.Invoke();
        if (latency is null)
        {
            return;
        }

        _isInPiece = false;
        TimeSpan rest = latency.EndPiece(_began, ref _commitsSeen);
        if (rest >= ShortestRest && rest * (1 - urgency(done)) is var shortened && shortened >= ShortestRest)
        {
            EngineThread.Rest(shortened);
        }
    }

    /// <summary>Ends the work. Discards a piece that was in progress when it failed.</summary>
    internal void End()
    {
        if (_isInPiece)
        {
            _isInPiece = false;
            latency!.CancelPiece();
        }
    }
}
