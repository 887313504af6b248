namespace Voron.Storage;

/// <summary>
/// Learns how long journal writes and checkpoints take, for metrics and traces: durations and the sizes of groups cannot be read from the
/// counters of <see cref="EnvironmentReport"/>. Its methods are called on threads that others wait for, so they should be quick, and in the
/// default <see cref="ExecutionContext"/>. An exception that they throw is dropped.
/// </summary>
public abstract class StorageObserver
{
    /// <summary>
    /// A write to the commit journal has ended well, and those whose commits went out with it are told next. One call at a time.
    /// </summary>
    public virtual void JournalWritten(in JournalWriteReport write)
    {
    }

    /// <summary>A checkpoint has ended, well or badly. One call at a time.</summary>
    public virtual void CheckpointEnded(in CheckpointReport checkpoint)
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
            // It runs in the middle of a commit, which must not fail for it; nobody is left to tell.
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
            // As above: it runs on a thread of the engine.
        }
    }
}
