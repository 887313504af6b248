using Voron.Storage.Checkpoints;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// Runs checkpoints and reports their duration, and the progress of the closing one, to the observer, if there is one and there was
/// anything to do.
/// </summary>
internal sealed class ObservedCheckpoints(Checkpointer checkpointer, StorageOptions options)
{
    internal void Run(BackgroundPace pace) => Observe(() => checkpointer.Run(pace));

    /// <summary>Runs the closing checkpoint. If the disk is full, the journal keeps everything.</summary>
    internal void RunClosing() => TryClosing(() => Observe(() => checkpointer.RunClosing(
        options.Observer is { } observer ? progress => EngineThread.RunDetached(_ => observer.Tell(progress), observer) : null)));

    /// <summary>Does a part of a close; false if the disk is full, which is reported.</summary>
    internal bool TryClosing(Action part)
    {
        try
        {
            part();
            return true;
        }
        catch (StorageFullException error)
        {
            options.Report(
                StorageEventKind.ClosedWithoutCheckpoint,
                $"Nothing is lost, but the closing checkpoint found no room: {error.Message}",
                error);
            return false;
        }
    }

    private void Observe(Action checkpoints)
    {
        if (options.Observer is not { } observer)
        {
            checkpoints();
            return;
        }

        long count = checkpointer.Count;
        long began = options.TimeProvider.GetTimestamp();
        Exception? trouble = null;
        try
        {
            checkpoints();
        }
        catch (Exception error)
        {
            trouble = error;
            throw;
        }
        finally
        {
            if (trouble is not null || checkpointer.Count != count)
            {
                TimeSpan took = options.TimeProvider.GetElapsedTime(began);
                CheckpointReport report = new(checkpointer.Base.TransactionId.Value, took, trouble);
                EngineThread.RunDetached(_ => observer.Tell(report), observer);
            }
        }
    }
}
