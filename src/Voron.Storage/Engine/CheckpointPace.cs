using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// How long the flusher rests between pieces: as long as it takes for commits to have most of the device's time. No rest when writers
/// already wait for the checkpoint.
/// </summary>
internal sealed class CheckpointPace(TimeProvider time, TimeSpan shortest, Func<bool> isUrgent, ITurns? turns = null)
{
    /// <summary>Pages between two rests.</summary>
    internal const int PiecePages = 64;

    /// <summary>A rest is so many times as long as the piece before it took.</summary>
    private const int RestPerWork = 4;

    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(30);

    private long _restedAt;

    /// <summary>No rests: for a checkpoint that somebody waits for, and for simulated disks.</summary>
    internal static CheckpointPace Full { get; } = new(TimeProvider.System, TimeSpan.Zero, static () => true);

    internal void Rest()
    {
        if (isUrgent())
        {
            return;
        }

        TimeSpan work = _restedAt == 0 ? TimeSpan.Zero : time.GetElapsedTime(_restedAt);
        TimeSpan rest = work * RestPerWork;
        EngineThread.Rest(turns, rest < shortest ? shortest : rest > Longest ? Longest : rest);
        _restedAt = time.GetTimestamp();
    }
}
