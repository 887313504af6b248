using Voron.Storage.Checkpoints;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Recovery;

/// <summary>
/// Replays the commits after N of a checkpoint through the ordinary tree code, into memory. Nothing on disk changes. With a memory supply
/// two threads work ahead: one prepares memory, one reads the journal.
/// </summary>
internal sealed class Replay(JournalFiles files, WriteSession session, PlacedRuns placed, MemorySupply? supply)
{
    private const int TransactionsPerReport = 256;

    private readonly RedoApply _apply = new(session);

    /// <summary>Number of transactions replayed.</summary>
    internal long Transactions { get; private set; }

    /// <summary>Bytes of the journal that were read.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Where a write was begun that is ignored; None if the journal ends with a whole record.</summary>
    internal JournalPosition TornAt { get; private set; }

    /// <summary>Whether the device could not read what was begun there.</summary>
    internal bool IsTailUnreadable { get; private set; }

    /// <summary>Replays all transactions up to one; what follows it is not looked at. Returns where the journal continues.</summary>
    internal JournalStart Run(
        CheckpointBase onDisk, TransactionId last, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        bool readsAhead = supply is not null;
        using CommitJournalReader reader = new(files, onDisk.Mark, onDisk.CommitSequence, onDisk.EndSequence, readsAhead) { Last = last };
        return Run(reader, onDisk, progress, cancellation);
    }

    /// <summary>Replays what a reader, which is at its beginning, finds. Returns where the journal continues.</summary>
    internal JournalStart Run(
        CommitJournalReader reader, CheckpointBase onDisk, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        HashSet<long>? abandoned = LookAhead(reader, cancellation, out TransactionId last);
        if (abandoned is null && onDisk.PendingSequence == 0)
        {
            return End(reader, 0, progress, cancellation);
        }

        reader.Restart();
        long begin = reader.BytesRead;
        try
        {
            ReplayAll(reader, onDisk, abandoned ?? [], last, progress, cancellation);
        }
        catch
        {
            session.GiveUpReplay();
            throw;
        }

        return End(reader, Transactions == 0 ? 0 : reader.BytesRead - begin, progress, cancellation);
    }

    private void ReplayAll(
        CommitJournalReader reader,
        CheckpointBase onDisk,
        HashSet<long> abandoned,
        TransactionId last,
        IProgress<RecoveryProgress>? progress,
        CancellationToken cancellation)
    {
        session.BeginReplay(last, onDisk.TransactionId);
        if (onDisk.PendingSequence > 0)
        {
            new PendingReplay(files, session).Run(onDisk, cancellation);
        }

        long body = -1;
        long begin = reader.BytesRead;
        long total = reader.TotalBytes - begin;
        while (reader.TryRead(out TransactionPart part))
        {
            cancellation.ThrowIfCancellationRequested();
            body += part.IsFirst ? 1 : 0;
            if (abandoned.Contains(body))
            {
                continue;
            }

            if (part.IsFirst)
            {
                _apply.Begin();
            }

            // Parts are applied to the trees as they are read, so a transaction of any length needs no memory of its own.
            ApplyPart(part);
            if (!part.IsLast)
            {
                continue;
            }

            session.EndReplayed();
            supply?.AskIfWanted();
            if (++Transactions % TransactionsPerReport == 0)
            {
                progress?.Report(new RecoveryProgress(reader.BytesRead - begin, total, Transactions));
            }
        }

        if (reader.LastCommit.TransactionId != last)
        {
            Throw.JournalChanged(reader.LastCommit.TransactionId, last);
        }

        session.CommitReplay(reader.LastCommit);
    }

    private JournalStart End(
        CommitJournalReader reader, long bytes, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        placed.EndReplay();
        Bytes = bytes;
        TornAt = reader.TornAt;
        IsTailUnreadable = reader.IsTailUnreadable;
        progress?.Report(new RecoveryProgress(Bytes, Bytes, Transactions));
        return reader.End;
    }

    /// <summary>
    /// Reserves pages that records name for a value: replay allocates pages in another order than the transactions did. Returns which of
    /// the bodies begun, in the order of the journal, have no commit record; they are ignored, and what they name may have been
    /// overwritten. Null if none was begun. Also returns the last transaction that counts.
    /// </summary>
    private HashSet<long>? LookAhead(CommitJournalReader reader, CancellationToken cancellation, out TransactionId last)
    {
        HashSet<long>? abandoned = null;
        long body = -1;
        while (reader.TryRead(out TransactionPart part))
        {
            cancellation.ThrowIfCancellationRequested();
            abandoned ??= [];
            body += part.IsFirst ? 1 : 0;
            if (part.IsLast)
            {
                abandoned.Remove(body);
            }
            else
            {
                abandoned.Add(body);
            }

            Reserve(new RedoReader(part.Body, part.IsFirst));
        }

        last = reader.LastCommit.TransactionId;
        return abandoned;
    }

    private void Reserve(RedoReader redo)
    {
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

    /// <summary>Refuses a record that says what no transaction could have done: it is damaged under a valid checksum.</summary>
    private void ApplyPart(in TransactionPart part)
    {
        try
        {
            Apply(new RedoReader(part.Body, part.IsFirst));
        }
        catch (Exception error) when (IsImpossible(error))
        {
            Throw.BadReplay(part.Id, error);
        }
    }

    /// <summary>Whether an exception is one for mistakes of a caller: the record says what no transaction could have done.</summary>
    internal static bool IsImpossible(Exception error) =>
        error is ArgumentException or InvalidOperationException or KeyTooLongException or ValueTooLongException;

    private void Apply(RedoReader redo)
    {
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.PutPlaced when _apply.Tree >= 0 && session.Trees.ShapeOf(_apply.Tree).IsOrdered:
                    session.Values.Replay(session.Generation, _apply.Tree, redo.Key, redo.Runs);
                    break;
                case RedoOperation.Time:
                    session.Redo.Times?.Replayed();
                    break;
                case var _ when _apply.TryApply(redo):
                    break;
                default:
                    Throw.NoTreeInReplay(redo.Operation);
                    break;
            }
        }
    }
}
