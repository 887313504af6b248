namespace Voron.Storage.Engine;

/// <content>The last checkpoints of an environment.</content>
internal sealed partial class Checkpointer
{
    /// <summary>
    /// Brings everything committed so far to the data file, and ends with an empty batch, so that the next open has nothing to apply. The
    /// caller holds the writer lock for good.
    /// </summary>
    internal void RunClosing()
    {
        _ownsWriterLock = true;
        Run(CheckpointPace.Full);
        _release.LetGo();
        if (Base.HasImages)
        {
            Run(CheckpointPace.Full, force: true);
        }

        using (_one.Hold())
        {
            Recycle(_base);
            NoteEnd();
        }
    }

    /// <summary>
    /// Waits for a checkpoint that runs, and lets none begin: one that somebody asked for just before the environment was disposed would
    /// find its files closed.
    /// </summary>
    internal void Close()
    {
        using (_one.Hold())
        {
            _isClosed = true;
        }
    }
}
