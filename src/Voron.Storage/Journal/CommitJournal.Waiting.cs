using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <content>How callers, and those who write for them, come to the end of a write.</content>
internal sealed partial class CommitJournal
{
    /// <summary>Returns when the record has left the process, or, with <paramref name="onDevice"/>, when it is on the device.</summary>
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

    /// <summary>As <see cref="Complete"/>, without a thread that waits.</summary>
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

    /// <summary>As <see cref="Flush"/>, without a thread that waits.</summary>
    internal ValueTask FlushAsync() => CompleteAsync(LastSealed(), onDevice: true);

    /// <summary>
    /// Does for a record what its caller can: writes it when nobody is writing. Returns the batch when there is nothing to do but wait for
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
            // It was or is written without the device: whoever needs more waits for his turn to sync.
            WaitForTheWrite();
        }

        return batch;
    }

    /// <summary>
    /// The callers of the last write come back: time for them to join the batch that is to be written. The caller holds the gate, leaves it
    /// and holds it again, and then nobody is writing.
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
            // Should the write fail to begin, no end of it would tell them.
            _gate.PulseAll();
        }
    }

    /// <summary>Returns when the write in flight has ended. The caller holds the gate.</summary>
    private void WaitForTheWrite()
    {
        _gateWaiters++;
        _gate.Wait();
        _gateWaiters--;
    }

    /// <summary>
    /// The pump's work: the batches that asynchronous commits wait for, syncs that somebody waits for, and lazy records when it is time.
    /// Returns whether lazy records are left waiting.
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
    /// Something else than a write of this journal has failed, a checkpoint say: nothing more is written, and whoever awaits the filling
    /// batch or a sync hears it here or from the end of the write in flight. The caller holds the gate.
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
