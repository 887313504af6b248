using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <content>Waiting for the end of a write, and writing on behalf of waiting callers.</content>
internal sealed partial class CommitJournal
{
    /// <summary>Waits until the record has left the process or, with <paramref name="onDevice"/>, until it is on the device.</summary>
    internal void Complete(CommitGroupId ticket, bool onDevice)
    {
        while (!_groups.IsDone(ticket, onDevice))
        {
            int seen;
            using (_gate.Hold())
            {
                if (LeadIfIdle(ticket, onDevice) is not { } group)
                {
                    continue;
                }

                seen = _waiters.Join(group);
            }

            _waiters.Wait(ticket.Number, seen);
        }
    }

    /// <summary>Like <see cref="Complete"/>, but without blocking a thread.</summary>
    internal ValueTask CompleteAsync(CommitGroupId ticket, bool onDevice)
    {
        using (_gate.Hold())
        {
            if (_groups.IsDone(ticket, onDevice))
            {
                return ValueTask.CompletedTask;
            }

            if (_failStop.FirstError is { } first)
            {
                return ValueTask.FromException(Throw.MakeOutcomeUnknown(first));
            }

            return _groups.FindPending(ticket, onDevice) is { } group
                ? _waiters.JoinAsync(group, _groups.IsWriting)
                : _waiters.JoinSyncAsync(ticket, _groups.IsWriting);
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
    private CommitGroup? LeadIfIdle(CommitGroupId ticket, bool onDevice)
    {
        _gate.AssertHeld();
        if (_groups.IsDone(ticket, onDevice))
        {
            return null;
        }

        if ((onDevice || _writer.Outer is not null) && !_groups.IsWriting && _delay.IsDue(_groups.Filling))
        {
            DelayForCompany();
        }

        if (_failStop.FirstError is { } first)
        {
            TellIfNobodyWrites();
            Throw.OutcomeUnknown(first);
        }

        CommitGroup? group = _groups.FindPending(ticket, onDevice);
        if (!_groups.IsWriting)
        {
            WriteAsLeader(onDevice);
            return null;
        }

        if (group is null)
        {
            // The record was or is being written buffered: a caller that needs it on the device waits until it can sync.
            WaitForTheWrite();
        }

        return group;
    }

    /// <summary>
    /// Waits for callers of the last write that come back, so that they join the group to be written. The caller holds the gate; this
    /// method leaves and re-enters it, and no write is in flight afterwards.
    /// </summary>
    private void DelayForCompany()
    {
        _gate.AssertHeld();
        _groups.Reserve();

        CommitGroup filling = _groups.Filling;
        _gate.Leave();
        _delay.Wait(filling, ref _gateWaiters);
        _gate.Enter();
        _groups.GiveUp();
        if (_gateWaiters > 0)
        {
            // If the caller then does not begin a write, no end of a write wakes these waiters.
            _gate.PulseAll();
        }
    }

    /// <summary>Waits for the write in flight to end. The caller holds the gate.</summary>
    private void WaitForTheWrite()
    {
        _gate.AssertHeld();
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
            while (!_groups.IsWriting && !_failStop.IsPoisoned)
            {
                CommitGroup filling = _groups.Filling;
                bool isLazyWanted = filling.IsLazy && (isLazyDue || _waiters.IsLazyFull(filling));
                if (filling.Sources.Count == 0 && !filling.HasFragment && !_waiters.WantsSync && !isLazyWanted)
                {
                    break;
                }

                WriteAsLeader(filling.NeedsDevice || _waiters.WantsSync || isLazyWanted);
                isLazyDue = false;
            }

            TellIfNobodyWrites();
            return _groups.Filling.IsLazy && !_failStop.IsPoisoned;
        }
    }

    /// <summary>
    /// Fails the waiters of the filling group and of syncs if something other than a write of this journal failed, such as a checkpoint:
    /// nothing more is written then. If a write is in flight, its end tells them instead. The caller holds the gate.
    /// </summary>
    private void TellIfNobodyWrites()
    {
        _gate.AssertHeld();
        if (_failStop.IsPoisoned && !_groups.IsWriting)
        {
            Tell(_groups.Filling)?.WakeAll();
            _waiters.TellSynced(_groups, OutcomeUnknownIfPoisoned());
        }
    }

    private CommitGroupId LastSealed()
    {
        using (_gate.Hold())
        {
            return _groups.LastSealed;
        }
    }

    private CommitOutcomeUnknownException? OutcomeUnknownIfPoisoned() =>
        _failStop.FirstError is { } first ? Throw.MakeOutcomeUnknown(first) : null;

    private WaitWord? Tell(CommitGroup group)
    {
        bool isDone = _groups.IsDone(new CommitGroupId(group.Number), onDevice: false);
        return _waiters.Tell(group, isDone ? null : Throw.MakeOutcomeUnknown(_failStop.FirstError!));
    }
}
