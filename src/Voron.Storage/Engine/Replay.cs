using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>Replays the commits after a checkpoint's N through the ordinary tree code, into memory. Nothing on disk changes.</summary>
internal sealed class Replay(JournalFiles files, WriteSession session)
{
    private const int TransactionsPerReport = 256;

    /// <summary>Parts of a transaction were made whose commit record has not been read yet.</summary>
    private bool _isOpen;

    /// <summary>The tree that the transaction's next operations are about.</summary>
    private int _tree;

    /// <summary>Transactions replayed.</summary>
    internal long Transactions { get; private set; }

    /// <summary>Bytes of the journal that were read.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Where something was begun that counts for nothing; None when the journal ends with a whole record.</summary>
    internal JournalPosition TornAt { get; private set; }

    /// <summary>Returns where the journal goes on.</summary>
    internal JournalStart Run(
        CheckpointBase onDisk, bool readsAhead, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        using CommitJournalReader reader = new(files, onDisk.Mark, onDisk.CommitSequence, onDisk.EndSequence, readsAhead);
        long begin = reader.BytesRead;
        long total = reader.TotalBytes - begin;
        while (reader.TryRead(out TransactionPart part))
        {
            cancellation.ThrowIfCancellationRequested();
            if (part.IsFirst)
            {
                TakeBack();
                session.BeginReplay(part.Id);
                _isOpen = true;
                _tree = -1;
            }

            Apply(new RedoReader(part.Body, part.IsFirst));
            if (!part.IsLast)
            {
                continue;
            }

            session.CommitReplayed(reader.LastCommit);
            _isOpen = false;
            if (++Transactions % TransactionsPerReport == 0)
            {
                progress?.Report(new RecoveryProgress(reader.BytesRead - begin, total, Transactions));
            }
        }

        TakeBack();
        cancellation.ThrowIfCancellationRequested();
        Bytes = Transactions == 0 ? 0 : reader.BytesRead - begin;
        TornAt = reader.TornAt;
        progress?.Report(new RecoveryProgress(Bytes, Bytes, Transactions));
        return reader.End;
    }

    /// <summary>
    /// Parts are made in the trees as they are read, so that a transaction of any length needs no memory of its own; those of one whose
    /// commit record does not come are undone.
    /// </summary>
    private void TakeBack()
    {
        if (_isOpen && !Sabotage.Is(SabotageRule.KeepUncommittedParts))
        {
            session.RollBackReplayed();
        }

        _isOpen = false;
    }

    private void Apply(RedoReader redo)
    {
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.SelectTree:
                    _tree = session.OpenTree(redo.Key, create: false);
                    break;
                case RedoOperation.CreateTree:
                    session.OpenTree(redo.Key, create: true);
                    break;
                case RedoOperation.DropTree:
                    session.DropTree(redo.Key);
                    break;
                case RedoOperation.Put when _tree >= 0:
                    session.Put(_tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.Delete when _tree >= 0:
                    session.Delete(_tree, redo.Key);
                    break;
                case RedoOperation.DeleteRange when _tree >= 0:
                    session.DeleteRange(_tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.RenameTree:
                    session.RenameTree(redo.Key, redo.Value);
                    break;
                default:
                    Throw.NoTreeInReplay(redo.Operation);
                    break;
            }
        }
    }
}
