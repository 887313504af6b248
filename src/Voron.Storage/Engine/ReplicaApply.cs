using System.Buffers.Binary;
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
    private readonly ArrivingValues _values = new();
    private WriteHandle? _lease;
    private WriteSession? _session;
    private RedoApply? _redo;
    private long _generation;

    /// <summary>Fragments of the open transaction that were applied.</summary>
    private uint _fragments;

    /// <summary>Whether a part of the next fragment was applied.</summary>
    private bool _isInFragment;

    /// <summary>
    /// Applies a record, or a part of one: a fragment, or what commits the transaction. Returns whether it did.
    /// </summary>
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
            bool isFirst = record is { Fragment: 0, IsContent: false } && !(_isInFragment && _fragments == 0);
            if (isFirst)
            {
                Abort();
                await BeginAsync(cancellation).ConfigureAwait(false);
            }

            if (_session is null || record.Fragment != _fragments)
            {
                Throw.MissingFragment(record.TransactionId, record.Fragment);
            }

            Make(record, body.Span, isFirst);
            _isInFragment = record.GoesOn;
            _fragments += record.GoesOn ? 0u : 1;
            return record.IsLast && Commit(record.TransactionId);
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
        _isInFragment = false;
        session?.Rollback(_lease!, _generation);
    }

    private async ValueTask BeginAsync(CancellationToken cancellation)
    {
        _lease = (await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation, applies: true).ConfigureAwait(false))!;
        _session = _lease.Session;
        _generation = _session.Generation;
        _redo = new RedoApply(_session);
        _fragments = 0;
        _values.Clear();

        // It is committed also when nothing is left of it, and without a time unless its record names one.
        _session.Redo.TakeOver(0);
    }

    private bool Commit(TransactionId id)
    {
        WriteSession session = _session!;
        if (!_values.IsEmpty)
        {
            Throw.BadReplicaRecord(id, null);
        }

        session.Commit(_lease!, _generation, CommitMode.Lazy);
        _session = null;
        return true;
    }

    private void Make(RedoRecord record, ReadOnlySpan<byte> body, bool isFirst)
    {
        try
        {
            if (record.IsContent)
            {
                Take(record, body);
                return;
            }

            RedoReader redo = new(body, isFirst);
            while (redo.MoveNext())
            {
                if (redo.Operation == RedoOperation.Time)
                {
                    _session!.Redo.TakeOver(redo.Ticks);
                }
                else if (!TryApply(redo))
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

    private bool TryApply(in RedoReader redo) => redo.Operation == RedoOperation.PutPlaced
        ? _values.TryPut(_session!, _generation, _redo!.Tree, redo)
        : _redo!.TryApply(redo);

    private void Take(RedoRecord record, ReadOnlySpan<byte> piece)
    {
        bool isTaken = piece.Length > sizeof(long) && _values.TryTake(
            _session!, _generation, BinaryPrimitives.ReadInt64LittleEndian(piece), piece[sizeof(long)..]);
        if (!isTaken)
        {
            Throw.BadReplicaRecord(record.TransactionId, null);
        }
    }
}
