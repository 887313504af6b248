using System.Runtime.InteropServices;
using Voron.Storage.Checkpoints;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;

namespace Voron.Storage.Engine;

/// <summary>
/// Follows the commit journal that another process writes: replays into memory what has become durable since the last time. The snapshot in
/// the data file stays that of the checkpoint at which this reader has registered. One call at a time.
/// </summary>
internal sealed class JournalFollower : IDisposable
{
    private readonly DatabaseParts _parts;
    private readonly ProcessSlots _slots;
    private readonly CheckpointBase _onDisk;
    private readonly List<TransactionId> _live = [];
    private RecordMark _last;
    private TransactionId _shown;

    /// <summary>Knows the chunks that there were when it was made; the writer may have begun others since.</summary>
    private CommitJournalReader? _reader;
    private bool _hasFailed;

    internal JournalFollower(DatabaseParts parts, ProcessSlots slots, CheckpointBase onDisk, RecordMark last)
    {
        _parts = parts;
        _slots = slots;
        _onDisk = onDisk;
        _last = last;
        Show();
    }

    /// <summary>Whether a read transaction is open.</summary>
    internal bool IsRead => _parts.Readers.OpenReaders > 0;

    /// <summary>Whether the journal continues for this reader: no later checkpoint is complete, and no replay has failed.</summary>
    internal bool CanFollow => !_hasFailed && _slots.Checkpoint == _onDisk.Checkpoint;

    /// <summary>
    /// Replays what is durable. Returns false if the journal does not continue where this reader is: a later checkpoint has made it
    /// unnecessary.
    /// </summary>
    internal bool TryFollow()
    {
        TransactionId durable = _slots.Durable;
        if (durable > _last.TransactionId)
        {
            _parts.Pipeline.Lock.TryEnter(Timeout.InfiniteTimeSpan);
            try
            {
                _parts.Pipeline.ReclaimVersions();
                _parts.File.FollowLength();
                if (_reader is not null)
                {
                    _reader.Continue(durable);
                    Replay(_reader);
                }

                if (_last.TransactionId < durable)
                {
                    Dispose();
                    _reader = new CommitJournalReader(
                        _parts.Files, _last, _onDisk.CommitSequence, _onDisk.EndSequence, isWriterOther: true) { Last = durable };
                    Replay(_reader);
                }

                _parts.Placed.ForgetEnds(_last.TransactionId);
            }
            catch (StorageException)
            {
                // What was replayed of it is not visible, and stays in memory until this reader ends.
                _hasFailed = true;
                Dispose();
                return false;
            }
            finally
            {
                _parts.Pipeline.LeaveWriterLock();
            }
        }

        Show();
        return true;
    }

    public void Dispose()
    {
        _reader?.Dispose();
        _reader = null;
    }

    private void Replay(CommitJournalReader reader)
    {
        Replay replay = new(_parts.Files, _parts.Session, _parts.Placed, supply: null);
        CheckpointBase shown = _onDisk with { Mark = _last, PendingSequence = 0 };
        _last = replay.Run(reader, shown, progress: null, CancellationToken.None).LastCommit;
    }

    /// <summary>Tells the writer what is read here, unless it knows: the system would write even that to the device some time.</summary>
    private void Show()
    {
        TransactionId oldest = OldestShown();
        if (oldest != _shown && _slots.TryShow(oldest))
        {
            _shown = oldest;
        }
    }

    /// <summary>The oldest state that a transaction sees; those that begin later see the newest.</summary>
    private TransactionId OldestShown()
    {
        TransactionId oldest = _last.TransactionId;
        _live.Clear();
        _parts.Readers.CollectSnapshots(_live);
        foreach (TransactionId snapshot in CollectionsMarshal.AsSpan(_live))
        {
            oldest = TransactionId.Min(oldest, snapshot);
        }

        return oldest;
    }
}
