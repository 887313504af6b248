using Voron.Storage.Commits;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// Makes writers wait for a checkpoint at the hard limit of <see cref="BackPressure"/>, with the writer lock held, and counts the threads
/// that wait for a checkpoint: it takes no rests meanwhile.
/// </summary>
/// <param name="pressure">Where the limit is.</param>
/// <param name="pipeline">Frees what a checkpoint releases.</param>
/// <param name="flusher">The thread that runs checkpoints; null if there is none, and then the writer runs one.</param>
/// <param name="checkpoint">Runs a checkpoint.</param>
internal sealed class HardLimit(BackPressure pressure, CommitPipeline pipeline, Flusher? flusher, Action checkpoint)
{
    private int _waiting;
    private long _blocked;
    private volatile bool _isBlocking;

    /// <summary>Whether a thread waits for a checkpoint.</summary>
    internal bool IsAwaited => Volatile.Read(ref _waiting) != 0;

    /// <summary>Whether a writer waits here, so that no commit can begin: it holds the writer lock.</summary>
    internal bool IsBlocking => _isBlocking;

    /// <summary>Number of write transactions that waited here.</summary>
    internal long Blocked => Volatile.Read(ref _blocked);

    /// <summary>Waits at the limit. Called by a write transaction that has just begun, and so has freed versions.</summary>
    internal void Meet()
    {
        if (pipeline.KeepsVersions && pressure.IsHard)
        {
            pipeline.ReclaimVersions(everything: true);
        }

        if (!pipeline.KeepsVersions)
        {
            pressure.Reclaimed();
        }

        if (pressure.IsHard)
        {
            Wait();
        }
    }

    /// <summary>Like <see cref="TryWait"/>; a checkpoint that failed is an error.</summary>
    private void Wait()
    {
        Interlocked.Increment(ref _blocked);
        if (!TryWait())
        {
            Throw.JournalFull(flusher!.Trouble);
        }
    }

    /// <summary>
    /// Waits for the checkpoint that runs, and for another whole one only if that did not release enough. Memory still used after a whole
    /// one is retained by readers. Returns false if the checkpoint of the flusher failed and the limit still holds.
    /// </summary>
    internal bool TryWait()
    {
        _isBlocking = true;
        try
        {
            if (flusher is not null && WaitForRunning(flusher))
            {
                return true;
            }

            During(flusher is null ? checkpoint : flusher.AskAndWait);
        }
        finally
        {
            _isBlocking = false;
        }

        pipeline.ReclaimVersions(everything: true);
        if (flusher?.Trouble is not null)
        {
            return !pressure.IsHard;
        }

        pressure.MeasureRetained();
        return true;
    }

    /// <summary>
    /// Has a checkpoint write what a close merges, and waits for it at the limit; false if one has failed. Then the closing one fails or
    /// succeeds in its stead.
    /// </summary>
    internal bool TryMakeRoom()
    {
        pressure.Reclaimed();
        if (pressure.IsHard)
        {
            return TryWait();
        }

        if (pressure.IsDue)
        {
            flusher?.Ask();
        }

        return flusher is not { Trouble: not null };
    }

    /// <summary>Runs an action that waits for a checkpoint or runs one.</summary>
    /// <param name="wait">The action.</param>
    /// <param name="isHasty">Whether the checkpoint takes no rests meanwhile.</param>
    internal void During(Action wait, bool isHasty = true)
    {
        int waiting = isHasty ? 1 : 0;
        Interlocked.Add(ref _waiting, waiting);
        try
        {
            wait();
        }
        finally
        {
            Interlocked.Add(ref _waiting, -waiting);
        }
    }

    /// <summary>Returns whether a checkpoint was running and its end has released enough.</summary>
    private bool WaitForRunning(Flusher runner)
    {
        bool ran = false;
        During(() => ran = runner.WaitForRunning());
        if (!ran)
        {
            return false;
        }

        pipeline.ReclaimVersions(everything: true);
        pressure.Reclaimed();
        return !pressure.IsHard;
    }
}
