using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// Makes the transactions of another node through the ordinary tree code, each under the number that it has there: so the number of the
/// last transaction says how far this node has come, and is as durable as the data. One that is here already is passed over.
/// </summary>
internal sealed class ReplicaApply(Database database)
{
    private WriteHandle? _lease;
    private WriteSession? _session;
    private RedoApply? _redo;
    private long _generation;

    /// <summary>Fragments of the open transaction that were applied.</summary>
    private uint _fragments;

    /// <summary>Applies a record: a fragment, or the last part, which commits the transaction. Returns whether it did.</summary>
    internal async ValueTask<bool> ApplyAsync(
        RedoRecord record, ReadOnlyMemory<byte> body, CancellationToken cancellation)
    {
        TransactionId newest = database.Parts.Pipeline.LastSealed;
        if (record.TransactionId <= newest)
        {
            return false;
        }

        if (record.TransactionId != newest.Next)
        {
            Throw.ReplicaGap(record.TransactionId, newest);
        }

        try
        {
            if (record.IsFirst)
            {
                Abort();
                await BeginAsync(cancellation).ConfigureAwait(false);
            }

            if (_session is null || record.Fragment != _fragments)
            {
                Throw.MissingFragment(record.TransactionId, record.Fragment);
            }

            Make(record, body.Span);
            _fragments++;
            return record.IsLast && Commit();
        }
        catch
        {
            Abort();
            throw;
        }
    }

    /// <summary>Undoes what was applied of a transaction that will have no commit record.</summary>
    internal void Abort()
    {
        WriteSession? session = _session;
        _session = null;
        session?.Rollback(_lease!, _generation);
    }

    private async ValueTask BeginAsync(CancellationToken cancellation)
    {
        _lease = (await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation, applies: true).ConfigureAwait(false))!;
        _session = _lease.Session;
        _generation = _session.Generation;
        _redo = new RedoApply(_session);
        _fragments = 0;

        // It is committed also when nothing is left of it, and without a time unless its record names one.
        _session.Redo.TakeOver(0);
    }

    private bool Commit()
    {
        WriteSession session = _session!;
        session.Commit(_lease!, _generation, CommitMode.Lazy);
        _session = null;
        return true;
    }

    private void Make(RedoRecord record, ReadOnlySpan<byte> body)
    {
        try
        {
            RedoReader redo = new(body, record.IsFirst);
            while (redo.MoveNext())
            {
                if (redo.Operation == RedoOperation.Time)
                {
                    _session!.Redo.TakeOver(redo.Ticks);
                }
                else if (!_redo!.TryApply(redo))
                {
                    Throw.BadReplicaRecord(record.TransactionId, null);
                }
            }
        }
        catch (Exception error) when (error is CorruptJournalException || Replay.IsImpossible(error))
        {
            Throw.BadReplicaRecord(record.TransactionId, error);
        }
    }
}
