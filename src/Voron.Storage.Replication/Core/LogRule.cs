namespace Voron.Storage.Replication.Core;

/// <summary>
/// Which entries of the log count. Every node applies it to every entry in order, so all agree without asking each other:
/// <para>1. An epoch counts if it is later than the present one and its number is the next one. 2. Anything else of the present epoch
/// counts if its number is the next one. 3. What remains is void: duplicates, entries of a deposed leader that come late, and entries
/// behind a lost one. So what a leader sends again under the same number counts once.</para>
/// </summary>
internal sealed class LogRule(LogState start)
{
    internal LogState State { get; private set; } = start;

    /// <summary>Entries that did not count.</summary>
    internal long Voids { get; private set; }

    /// <summary>Takes the entry at the next position. Returns whether it counts.</summary>
    internal bool Take(long position, in EntryHead head, ReadOnlySpan<byte> payload, out EpochClaim? claim)
    {
        claim = null;
        LogState next = State with { Position = position, Crc = head.Crc };
        bool isNext = head.Number == State.Number + 1;
        bool counts = head.Kind switch
        {
            EntryKind.Epoch => head.Epoch > State.Epoch && isNext,
            EntryKind.Records or EntryKind.Heartbeat => head.Epoch == State.Epoch && isNext,
            _ => false,
        };
        if (!counts)
        {
            Voids += head.Kind == EntryKind.Barrier ? 0 : 1;
            State = next;
            return false;
        }

        if (head.Kind == EntryKind.Epoch)
        {
            claim = EpochClaim.Read(position, payload);
            if (State.Log != Guid.Empty && claim.Log != State.Log)
            {
                throw ReplicaStoppedException.OtherLog(position, claim.Log, State.Log);
            }

            next = next with
            {
                Log = claim.Log, Epoch = head.Epoch, Writer = claim.Nonce, Node = claim.Node, Address = claim.Address,
            };
        }

        State = next with { Number = head.Number };
        return true;
    }

    /// <summary>Notes that transactions up to this one are whole in what was read.</summary>
    internal void Reached(long transactionId) => State = State with { TransactionId = transactionId };
}
