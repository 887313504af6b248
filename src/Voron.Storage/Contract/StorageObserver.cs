namespace Voron.Storage;

/// <summary>
/// Receives the durations of journal writes and checkpoints, for metrics and traces, and the progress of a close: the counters of <see
/// cref="EnvironmentReport"/> do not contain durations and group sizes. Its methods run in the default <see cref="ExecutionContext"/> on
/// threads that others wait for, so they must be quick. Their exceptions are dropped.
/// </summary>
public abstract class StorageObserver
{
    /// <summary>
    /// Called after a successful write to the commit journal, before the callers of its commits are woken. One call at a time.
    /// </summary>
    public virtual void JournalWritten(in JournalWriteReport write)
    {
    }

    /// <summary>Called when a checkpoint has succeeded or failed. One call at a time.</summary>
    public virtual void CheckpointEnded(in CheckpointReport checkpoint)
    {
    }

    /// <summary>
    /// Called during a close, each time that its checkpoint has written some megabytes: it may write as much as page versions have in
    /// memory. Not called if nothing is left to write. One call at a time.
    /// </summary>
    public virtual void Closing(in ClosingProgress progress)
    {
    }

    internal void Tell(in JournalWriteReport write)
    {
        try
        {
            JournalWritten(write);
        }
        catch (Exception)
        {
            // It runs in the middle of a commit, which must not fail because of it, and the error cannot be reported elsewhere.
        }
    }

    internal void Tell(in CheckpointReport checkpoint)
    {
        try
        {
            CheckpointEnded(checkpoint);
        }
        catch (Exception)
        {
            // As above: it runs on an engine thread.
        }
    }

    internal void Tell(in ClosingProgress progress)
    {
        try
        {
            Closing(progress);
        }
        catch (Exception)
        {
            // As above: the close must not fail because of it.
        }
    }
}
