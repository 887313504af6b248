using Voron.Storage.Engine;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// A node without clocks, threads and networks: what it makes of the entries of the log, and what it sends. One caller at a time reads;
/// sending is guarded by a lock.
/// </summary>
internal sealed class ReplicaCore
{
    private readonly IReplicaStore _store;
    private readonly LogRule _rule;
    private readonly BatchAssembly _batch = new();
    private readonly Lock _sending = new();
    private Guid _campaign;
    private Outgoing? _outgoing;

    /// <summary>Whether fragments of a transaction were read whose commit record has not come yet.</summary>
    private bool _isInTransaction;

    internal ReplicaCore(LogState start, IReplicaStore store)
    {
        _store = store;
        _rule = new LogRule(start);
        Safe = start;
    }

    /// <summary>How far the log was read.</summary>
    internal LogState State => _rule.State;

    /// <summary>
    /// The last state between two transactions: from there the log can be read on, by a database that has its transactions durably.
    /// </summary>
    internal LogState Safe { get; private set; }

    internal long Voids => _rule.Voids;

    internal bool IsLeader { get; private set; }

    /// <summary>Called when the own claim counted, with all before it applied; and when another's has counted since.</summary>
    internal Action<bool>? LeadershipChanged { get; init; }

    /// <summary>Takes the next entry. Returns whether it counted.</summary>
    internal async ValueTask<bool> TakeAsync(long position, ReadOnlyMemory<byte> entry, CancellationToken cancellation)
    {
        EntryHead head = EntryHead.Read(position, entry.Span);
        ReadOnlyMemory<byte> payload = entry[EntryHead.SizeBytes..];
        ThrowIfBegunWithMore(position, head, payload.Span);
        bool counts;
        EpochClaim? claim;
        lock (_sending)
        {
            counts = _rule.Take(position, head, payload.Span, out claim);
        }

        if (claim is not null)
        {
            Begin(claim);
        }
        else if (counts && head.Kind == EntryKind.Records && _batch.Add(position, head.Flags, payload, out ReadOnlyMemory<byte> batch))
        {
            await ApplyAsync(position, batch, cancellation).ConfigureAwait(false);
        }

        if (counts && claim is null)
        {
            Count(head);
        }

        if (!_batch.IsOpen && !_isInTransaction)
        {
            Safe = State;
        }

        return counts;
    }

    /// <summary>Makes the entry with which this node asks to lead; a later claim of its own replaces it.</summary>
    internal byte[] MakeClaim(Guid nonce, string node, string address, long utcTicks, Guid newLog)
    {
        lock (_sending)
        {
            _campaign = nonce;
            LogState state = State;
            EpochClaim claim = new(
                state.Log == Guid.Empty ? newLog : state.Log, nonce, _store.LastTransaction, utcTicks, node, address);
            return EntryHead.Make(EntryKind.Epoch, EntryFlags.None, state.Epoch + 1, state.Number + 1, claim.ToBytes());
        }
    }

    /// <summary>Begins to send a batch, or a sign of life if it is empty; one at a time. Null if this node does not lead.</summary>
    internal Outgoing? TrySend(ReadOnlySpan<byte> batch, int mostPayloadBytes, long utcTicks)
    {
        lock (_sending)
        {
            if (!IsLeader || _outgoing is { IsOver: false })
            {
                return null;
            }

            return _outgoing = batch.IsEmpty
                ? Outgoing.Heartbeat(State, BitConverter.GetBytes(utcTicks))
                : Outgoing.Batch(State, batch, mostPayloadBytes);
        }
    }

    /// <summary>Stops leading; what was sent may count all the same.</summary>
    internal void StepDown(Exception why)
    {
        lock (_sending)
        {
            IsLeader = false;
            _campaign = Guid.Empty;
            _outgoing?.Fail(why);
            _outgoing = null;
        }
    }

    /// <summary>
    /// A log that was begun with a database that existed does not have its transactions: for a node without them it is as trimmed.
    /// </summary>
    private void ThrowIfBegunWithMore(long position, in EntryHead head, ReadOnlySpan<byte> payload)
    {
        if (head is { Kind: EntryKind.Epoch, Number: 1 } && State.Number == 0
            && EpochClaim.Read(position, payload).LastTransaction > _store.LastTransaction)
        {
            throw new LogTrimmedException(position + 1);
        }
    }

    private void Begin(EpochClaim claim)
    {
        // The leader before will not finish what it has begun, and its successor sends it as its own if anything.
        _batch.Drop();
        _isInTransaction = false;
        _store.Abort();
        _store.Join(claim.Log);
        bool wasLeader = IsLeader;
        bool isOwn = claim.Nonce == _campaign && _campaign != Guid.Empty;
        if (wasLeader)
        {
            StepDown(new InvalidOperationException($"Node '{claim.Node}' leads since epoch {State.Epoch}."));
            LeadershipChanged?.Invoke(false);
        }

        if (isOwn && !wasLeader)
        {
            _campaign = Guid.Empty;
            lock (_sending)
            {
                IsLeader = true;
            }

            LeadershipChanged?.Invoke(true);
        }
    }

    private async ValueTask ApplyAsync(long position, ReadOnlyMemory<byte> batch, CancellationToken cancellation)
    {
        while (BatchRecord.TryRead(position, ref batch, out BatchRecord record))
        {
            RedoRecord redo = record.Record;
            if (!IsLeader)
            {
                await _store.ApplyAsync(redo, record.Body, cancellation).ConfigureAwait(false);
            }

            _isInTransaction = !redo.IsLast;
            if (redo.IsLast)
            {
                _rule.Reached(Math.Max(State.TransactionId, redo.TransactionId.Value));
            }
        }
    }

    private void Count(in EntryHead head)
    {
        lock (_sending)
        {
            if (IsLeader)
            {
                _outgoing?.Counted(head);
            }
        }
    }
}
