using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Checkpoints;

/// <content>The last checkpoints of an environment.</content>
internal sealed partial class Checkpointer
{
    /// <summary>An image set can only name the chunk of the next one, so it takes two to leave a long chunk.</summary>
    private const int MostEmptySets = 2;

    /// <summary>
    /// Writes everything committed so far to the data file and ends with an empty image set in a short chunk, so that the next open has
    /// nothing to apply. The caller holds the writer lock and never releases it.
    /// </summary>
    /// <param name="progress">Gets how much of it is written, after each piece; null for no reports.</param>
    internal void RunClosing(Action<ClosingProgress>? progress = null)
    {
        _ownsWriterLock = true;
        long before = WrittenBytes;
        long all = 0;
        Run(BackgroundPace.Alone(progress is null ? null : () =>
        {
            all = all > 0 ? all : _plan.PagesToWrite * _file.PageBytes;
            progress(new ClosingProgress(WrittenBytes - before, all));
        }));
        _release.LetGo();
        for (int sets = 0; sets < MostEmptySets && (Base.HasImages || _imageJournal.IsLong(Base.ImageSet.Sequence)); sets++)
        {
            Run(BackgroundPace.Alone(), force: true);
        }

        using (_one.Hold())
        {
            _outside.Refuse(_base.Checkpoint, _file.Path);
            Recycle(_base, pace: null);
            NoteEnd();
        }
    }

    private long WrittenBytes => DataBytesWritten + ImageBytesWritten;

    /// <summary>
    /// Records in the header slot that the journal ends with N, so that the next open does not search for later records. Once both slots
    /// record it no open reads the chunks, whichever slot it uses: those left by long transactions that were rolled back are removed, and
    /// the others cut, unless they have entries that are still pending.
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
        bool areCut = _commits.Chunks.HasLong && _base.PendingSequence == 0;
        if (areCut || _commits.Chunks.HasUnneeded(_base.Mark.Position, _base.CommitSequence))
        {
            WriteEnd(last);

            StorageException? refusal = _commits.Chunks.RecycleUnneeded(_base.Mark.Position, _base.CommitSequence);
            ReportKept((areCut ? _commits.Chunks.CutAll() : null) ?? refusal);
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
