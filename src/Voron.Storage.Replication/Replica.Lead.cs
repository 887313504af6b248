using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication;

/// <content>Leading: when to ask for it, what begins and ends it, and the place in the log that is saved.</content>
public sealed partial class Replica
{
    private readonly Lock _roles = new();
    private TimeSpan _patience;

    /// <summary>Begins or ends to lead, as the log says. Runs inside the reading loop, at the entry that says so.</summary>
    private void OnLeadership(bool isOwn)
    {
        lock (_roles)
        {
            if (isOwn)
            {
                LeaderLog leaderLog = new(_door.MakeParts(), _publisher, _options.CommitTimeout, RequestRestart);
                _door.Lead(leaderLog, _options.Commit == ReplicaCommit.LogAndDevice ? CommitMode.Durable : CommitMode.Buffered);
                SetRole(ReplicaRole.Leader);
            }
            else if (_door.TryFollow(_core.State.Log, TimeSpan.Zero, flushes: false))
            {
                SetRole(ReplicaRole.Follower);
            }
            else
            {
                RequestRestart(new InvalidOperationException("Another node leads."));
            }
        }
    }

    /// <summary>Commits in flight will not be acknowledged here: the database has to forget them. Any thread may ask for it.</summary>
    private void RequestRestart(Exception why)
    {
        if (_restart is null)
        {
            _restart = why;
            _door.Fail(why);
            _core.StepDown(why);

            // Not on this thread: the loop that ends by it waits for the commit that this thread may be in.
            _ = _following.CancelAsync();
        }
    }

    private void StepDown()
    {
        lock (_roles)
        {
            if (Role != ReplicaRole.Leader || _restart is not null)
            {
                return;
            }
        }

        // Without the lock: commits that are waited for need the reading loop.
        bool isClean = _door.TryFollow(_core.State.Log, _options.CommitTimeout, flushes: true);
        lock (_roles)
        {
            InvalidOperationException why = new("The node has stepped down.");
            if (isClean)
            {
                _core.StepDown(why);
                SetRole(ReplicaRole.Follower);
            }
            else
            {
                RequestRestart(why);
            }

            // Others go first.
            Volatile.Write(ref _quietSince, _time.GetTimestamp());
            _patience = 4 * _options.LeaderTimeout;
        }
    }

    private async Task TickAsync()
    {
        _patience = NextPatience();
        while (!_stop.IsCancellationRequested && _failure is null)
        {
            await Task.Delay(_options.HeartbeatInterval / 2, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                if (Role == ReplicaRole.Leader)
                {
                    await BeatAsync().ConfigureAwait(false);
                }
                else
                {
                    await LookAsync().ConfigureAwait(false);
                }
            }
            catch (Exception error) when (error is OperationCanceledException or InvalidOperationException or LogConflictException)
            {
                // The role changed meanwhile, another node was first, or the node stops.
            }
            catch (ReplicaStoppedException error)
            {
                Stop(error);
                await _following.CancelAsync().ConfigureAwait(false);
            }
            catch (Exception error)
            {
                NoteTrouble(error);
            }
        }
    }

    private async ValueTask BeatAsync()
    {
        if (_time.GetElapsedTime(_publisher.LastSent) >= _options.HeartbeatInterval)
        {
            await _publisher.BeatAsync(_stop.Token).ConfigureAwait(false);
        }
    }

    /// <summary>Asks the log how far it is and, if it was silent for long, to lead.</summary>
    private async ValueTask LookAsync()
    {
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        limit.CancelAfter(_options.LeaderTimeout);
        ReplicaCore core = _core;
        LogBounds bounds;
        try
        {
            bounds = await _log.GetBoundsAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException error) when (!_stop.IsCancellationRequested)
        {
            throw new LogUnavailableException("The log does not answer.", error);
        }

        Volatile.Write(ref _logEnd, Math.Max(bounds.Last, core.State.Position));
        if (core.State.Position < bounds.Last || core != _core || _restart is not null)
        {
            _lostSince = 0;
            return;
        }

        NoteEnd(core.State.Position);
        ThrowIfLost(bounds.Last);
        bool isQuiet = _time.GetElapsedTime(Volatile.Read(ref _quietSince)) >= _patience;
        if (_options.MayLead && isQuiet && _lostSince == 0)
        {
            _patience = NextPatience();
            Volatile.Write(ref _quietSince, _time.GetTimestamp());
            byte[] claim = core.MakeClaim(Guid.NewGuid(), _name, _options.Address, _time.GetUtcNow().UtcTicks, Guid.NewGuid());
            await _log.AppendAsync(claim, core.State.Position, limit.Token).ConfigureAwait(false);
        }
    }

    private TimeSpan NextPatience() => _options.LeaderTimeout * (1 + Random.Shared.NextDouble());

    /// <summary>Saves the place in the log now and then. What it names is durable in the database before.</summary>
    private async Task SaveAsync()
    {
        while (!_stop.IsCancellationRequested && _failure is null)
        {
            TimeSpan rest = _options.SaveInterval > WaitPiece ? _options.SaveInterval : WaitPiece;
            await Task.Delay(rest, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!_stop.IsCancellationRequested)
            {
                await TrySaveAsync(_stop.Token).ConfigureAwait(false);
            }
        }
    }

    private async ValueTask TrySaveAsync(CancellationToken cancellation)
    {
        LogState safe = _core.Safe;
        if (safe.Position == _saved.Position || _failure is not null)
        {
            return;
        }

        try
        {
            if (!safe.IsCoveredBy(_door.LastDurable))
            {
                await _door.FlushAsync(cancellation).ConfigureAwait(false);
            }

            // After a restart the database may not have what the log had already.
            if (safe.IsCoveredBy(_door.LastDurable))
            {
                _file.Write(safe);
                _saved = safe;
            }
        }
        catch (Exception error) when (error is StorageException or IOException or OperationCanceledException or ObjectDisposedException)
        {
            // The place that was saved before is as good, only further back.
            _trouble ??= error;
        }
    }
}
