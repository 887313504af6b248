using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Checkpoints;

/// <content>The last checkpoints of an environment.</content>
internal sealed partial class Checkpointer
{
    /// <summary>
    /// Writes everything committed so far to the data file and ends with an empty image set, so that the next open has nothing to apply.
    /// The caller holds the writer lock and never releases it.
    /// </summary>
    internal void RunClosing()
    {
        _ownsWriterLock = true;
        Run(BackgroundPace.Full);
        _release.LetGo();
        if (Base.HasImages)
        {
            Run(BackgroundPace.Full, force: true);
        }

        using (_one.Hold())
        {
            Recycle(_base);
            NoteEnd();
        }
    }

    /// <summary>
    /// Records in the header slot that the journal ends with N, so that the next open does not search for later records. Chunks left by
    /// long transactions that were rolled back can be removed once both slots record it: no open reads them then, whichever slot it uses.
    /// </summary>
    private void NoteEnd()
    {
        if (_pipeline.LastSealed != _base.TransactionId)
        {
            // Defensive: the caller holds the writer lock and the last checkpoint wrote everything that was sealed. A slot that ended the
            // journal before an acknowledged record would lose that record silently.
            return;
        }

        long last = Math.Max(_commits.Chunks.LastSequence, _base.EndSequence);
        WriteEnd(last);
        if (_commits.Chunks.HasUnneeded(_base.Mark.Position, _base.CommitSequence))
        {
            WriteEnd(last);

            ReportKept(_commits.Chunks.RecycleUnneeded(_base.Mark.Position, _base.CommitSequence));
        }
    }

    private void WriteEnd(long last)
    {
        Volatile.Write(ref _base, _base with { EndSequence = last });
        _failure = CheckpointFailure.Poisons;
        try
        {
            _header.WriteLast(_base);
        }
        catch (Exception error)
        {
            Fail(error);
            throw;
        }
    }

    /// <summary>
    /// Waits for a running checkpoint and lets no other begin: one requested just before the environment was disposed would find its
    /// files closed.
    /// </summary>
    internal void Close()
    {
        using (_one.Hold())
        {
            _isClosed = true;
        }
    }
}
