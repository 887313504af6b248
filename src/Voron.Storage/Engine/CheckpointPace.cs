namespace Voron.Storage.Engine;

/// <summary>How long the flusher rests between pieces. Short pauses keep the device free for commits; none when writers already wait for the checkpoint.</summary>
internal sealed class CheckpointPace(TimeSpan pause, Func<bool> isUrgent)
{
    /// <summary>Pages between two pauses.</summary>
    internal const int PiecePages = 64;

    /// <summary>No pauses: for a checkpoint that somebody waits for, and for simulated disks.</summary>
    internal static CheckpointPace Full { get; } = new(TimeSpan.Zero, static () => true);

    internal void Pause()
    {
        if (pause > TimeSpan.Zero && !isUrgent())
        {
            Thread.Sleep(pause);
        }
    }
}
