using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>Replays the commits after a checkpoint's N through the ordinary tree code, into memory. Nothing on disk changes.</summary>
internal sealed class Replay(JournalFiles files, WriteSession session, PlacedRuns placed)
{
    private const int TransactionsPerReport = 256;

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
        using (CommitJournalReader first = ReaderFrom(onDisk, readsAhead))
        {
            if (!ReserveRuns(first, cancellation))
            {
                return End(first, 0, progress, cancellation);
            }
        }

        using CommitJournalReader reader = ReaderFrom(onDisk, readsAhead);
        long begin = reader.BytesRead;
        long total = reader.TotalBytes - begin;
        while (reader.TryReadTransaction(out TransactionId id, out ReadOnlySpan<byte> body))
        {
            cancellation.ThrowIfCancellationRequested();
            session.BeginReplay(id);
            Apply(body);
            session.CommitReplayed(reader.LastCommit);
            if (++Transactions % TransactionsPerReport == 0)
            {
                progress?.Report(new RecoveryProgress(reader.BytesRead - begin, total, Transactions));
            }
        }

        return End(reader, reader.BytesRead - begin, progress, cancellation);
    }

    private CommitJournalReader ReaderFrom(CheckpointBase onDisk, bool readsAhead) =>
        new(files, onDisk.Mark, onDisk.CommitSequence, onDisk.EndSequence, readsAhead);

    private JournalStart End(
        CommitJournalReader reader, long bytes, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        placed.EndReplay();
        Bytes = bytes;
        TornAt = reader.TornAt;
        progress?.Report(new RecoveryProgress(Bytes, Bytes, Transactions));
        return reader.End;
    }

    /// <summary>
    /// Replay gives pages out in another order than the transactions did; those that a record names for a value are kept for it. False
    /// when there is no transaction to replay.
    /// </summary>
    private bool ReserveRuns(CommitJournalReader reader, CancellationToken cancellation)
    {
        bool any = false;
        while (reader.TryReadTransaction(out _, out ReadOnlySpan<byte> body))
        {
            cancellation.ThrowIfCancellationRequested();
            any = true;
            RedoReader redo = new(body);
            while (redo.MoveNext())
            {
                if (redo.Operation == RedoOperation.PutPlaced)
                {
                    foreach (PlacedRun run in redo.Runs)
                    {
                        placed.Reserve(run);
                    }
                }
            }
        }

        return any;
    }

    private void Apply(ReadOnlySpan<byte> body)
    {
        int tree = -1;
        RedoReader redo = new(body);
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.SelectTree:
                    tree = session.OpenTree(redo.Key, create: false);
                    break;
                case RedoOperation.CreateTree:
                    session.OpenTree(redo.Key, create: true);
                    break;
                case RedoOperation.DropTree:
                    session.DropTree(redo.Key);
                    break;
                case RedoOperation.Put when tree >= 0:
                    session.Put(tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.PutPlaced when tree >= 0:
                    session.ReplayPlaced(tree, redo.Key, redo.Runs);
                    break;
                case RedoOperation.Delete when tree >= 0:
                    session.Delete(tree, redo.Key);
                    break;
                case RedoOperation.DeleteRange when tree >= 0:
                    session.DeleteRange(tree, redo.Key, redo.Value);
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
