using Voron.Storage.Platform;

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
    /// Has the header slot say that the journal ends with N: the next open need not look for more behind it. What long transactions that
    /// were rolled back have left there can go as soon as both slots say it: no open looks for it then, whichever slot it finds.
    /// </summary>
    private void NoteEnd()
    {
        if (_line.LastSealed != _base.TransactionId)
        {
            // A second belt: the caller holds the writer lock and the last checkpoint wrote whatever was sealed. A slot that said "the
            // journal ends here" before an acknowledged record would lose it in silence.
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
        _base.EndSequence = last;
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
