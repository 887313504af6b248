using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <content>Waiting for the end of a write, and writing on behalf of waiting callers.</content>
internal sealed partial class CommitJournal
{
    /// <summary>Waits until the record has left the process or, with <paramref name="onDevice"/>, until it is on the device.</summary>
    internal void Complete(CommitTicket ticket, bool onDevice)
    {
        while (!_batches.IsDone(ticket, onDevice))
        {
            int seen;
            using (_gate.Hold())
            {
                if (BringOnItsWay(ticket, onDevice) is not { } batch)
                {
                    continue;
                }

                seen = _waiters.Join(batch);
            }

            _waiters.Wait(ticket.Batch, seen);
        }
    }

    /// <summary>Like <see cref="Complete"/>, but without blocking a thread.</summary>
    internal ValueTask CompleteAsync(CommitTicket ticket, bool onDevice)
    {
        using (_gate.Hold())
        {
            if (_batches.IsDone(ticket, onDevice))
            {
                return ValueTask.CompletedTask;
            }

            if (_failStop.FirstError is { } first)
            {
                return ValueTask.FromException(Throw.MakeOutcomeUnknown(first));
            }

            return _batches.InHand(ticket, onDevice) is { } batch
                ? _waiters.JoinAsync(batch, _batches.IsWriting)
                : _waiters.JoinSyncAsync(ticket, _batches.IsWriting);
        }
    }

    /// <summary>Makes everything sealed so far durable.</summary>
    internal void Flush() => Complete(LastSealed(), onDevice: true);

    /// <summary>Like <see cref="Flush"/>, but without blocking a thread.</summary>
    internal ValueTask FlushAsync() => CompleteAsync(LastSealed(), onDevice: true);

    /// <summary>
    /// Advances a record as far as its caller can: if the journal is idle, writes it. Returns the group if all that is left is to wait for
    /// it outside the gate. The caller holds the gate.
    /// </summary>
    private CommitBatch? BringOnItsWay(CommitTicket ticket, bool onDevice)
    {
        if (_batches.IsDone(ticket, onDevice))
        {
            return null;
        }

        if (onDevice && !_batches.IsWriting && _delay.IsDue(_batches.Filling))
        {
            LetOthersJoin();
        }

        if (_failStop.FirstError is { } first)
        {
            TellIfNobodyWrites();
            Throw.OutcomeUnknown(first);
        }

        CommitBatch? batch = _batches.InHand(ticket, onDevice);
        if (!_batches.IsWriting)
        {
            Lead(onDevice);
            return null;
        }

        if (batch is null)
        {
            // The record was or is being written buffered: a caller that needs it on the device waits until it can sync.
            WaitForTheWrite();
        }

        return batch;
    }

    /// <summary>
    /// Waits for callers of the last write that come back, so that they join the group to be written. The caller holds the gate; this
    /// method leaves and re-enters it, and no write is in flight afterwards.
    /// </summary>
    private void LetOthersJoin()
    {
        _batches.Reserve();

        CommitBatch filling = _batches.Filling;
        _gate.Leave();
        _delay.Wait(filling, ref _gateWaiters);
        _gate.Enter();
        _batches.GiveUp();
        if (_gateWaiters > 0)
        {
            // If the caller then does not begin a write, no end of a write wakes these waiters.
            _gate.PulseAll();
        }
    }

    /// <summary>Waits for the write in flight to end. The caller holds the gate.</summary>
    private void WaitForTheWrite()
    {
        _gateWaiters++;
        _gate.Wait();
        _gateWaiters--;
    }

    /// <summary>
    /// The pump's work: writes groups with asynchronous waiters or fragments, does awaited syncs, and writes lazy records once they are
    /// due. Returns whether lazy records are still waiting.
    /// </summary>
    private bool WriteWhatIsWanted(bool isLazyDue)
    {
        using (_gate.Hold())
        {
            while (!_batches.IsWriting && !_failStop.IsPoisoned)
            {
                CommitBatch filling = _batches.Filling;
                bool isLazyWanted = filling.IsLazy && (isLazyDue || _waiters.IsLazyFull(filling));
                if (filling.Sources.Count == 0 && !filling.HasFragment && !_waiters.WantsSync && !isLazyWanted)
                {
                    break;
                }

                Lead(filling.NeedsDevice || _waiters.WantsSync || isLazyWanted);
                isLazyDue = false;
            }

            TellIfNobodyWrites();
            return _batches.Filling.IsLazy && !_failStop.IsPoisoned;
        }
    }

    /// <summary>
    /// Fails the waiters of the filling group and of syncs if something other than a write of this journal failed, such as a checkpoint:
    /// nothing more is written then. If a write is in flight, its end tells them instead. The caller holds the gate.
    /// </summary>
    private void TellIfNobodyWrites()
    {
        if (_failStop.IsPoisoned && !_batches.IsWriting)
        {
            Tell(_batches.Filling)?.WakeAll();
            _waiters.TellSynced(_batches, OutcomeUnknownIfPoisoned());
        }
    }

    private CommitTicket LastSealed()
    {
        using (_gate.Hold())
        {
            return _batches.LastSealed;
        }
    }

    private CommitOutcomeUnknownException? OutcomeUnknownIfPoisoned() =>
        _failStop.FirstError is { } first ? Throw.MakeOutcomeUnknown(first) : null;

    private WaitWord? Tell(CommitBatch batch)
    {
        bool isDone = _batches.IsDone(new CommitTicket(batch.Number), onDevice: false);
        return _waiters.Tell(batch, isDone ? null : Throw.MakeOutcomeUnknown(_failStop.FirstError!));
    }
}
