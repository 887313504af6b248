using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication;

/// <content>The loop that reads the log. Roles begin on it.</content>
public sealed partial class Replica
{
    internal const int FragmentBytes = 256 << 10;
    private static readonly TimeSpan WaitPiece = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan RetryAfter = TimeSpan.FromMilliseconds(200);

    /// <summary>Cancelled when the database has to be opened again.</summary>
    private CancellationTokenSource _following = new();
    private volatile Exception? _trouble;
    private volatile Exception? _restart;
    private long _voids;
    private long _logEnd;

    /// <summary>When the log was last read to an end that it was asked for.</summary>
    private long _endAt;

    /// <summary>Since when nothing counted although the log answered.</summary>
    private long _quietSince;

    /// <summary>Since when the log seems to have lost entries; 0 if it does not.</summary>
    private long _lostSince;

    private void Start()
    {
        if (_saved.Log != Guid.Empty && _door.LastTransaction < _saved.TransactionId)
        {
            // The database is of another time than the file: it is read from the beginning, or begun anew.
            _saved = LogState.Begin;
            _core = MakeCore(_saved);
        }

        _running = Task.WhenAll(
            Task.Run(RunAsync), Task.Run(TickAsync), Task.Run(SaveAsync), Task.Run(() => _watch.RunAsync(_stop.Token)),
            Task.Run(() => _barriers.RunAsync(_stop.Token)));
    }

    private ReplicaCore MakeCore(LogState state) => new(state, _store) { LeadershipChanged = OnLeadership };

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await FollowAsync().ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (LogUnavailableException error)
            {
                NoteTrouble(error);
                await RestAsync().ConfigureAwait(false);
            }
            catch (LogTrimmedException error)
            {
                await TryAsync(() => BeginAnewAsync(error.First)).ConfigureAwait(false);
            }
            catch (ReplicaStoppedException error)
            {
                Stop(error);
            }
            catch (OperationCanceledException)
            {
                // The database is to be opened again.
            }
            catch (StorageException error)
            {
                NoteTrouble(error);
                _restart ??= error;
                await RestAsync().ConfigureAwait(false);
            }
            catch (Exception error)
            {
                // A carrier's client may throw anything when its server goes.
                NoteTrouble(error);
                await RestAsync().ConfigureAwait(false);
            }

            if (_failure is not null)
            {
                return;
            }

            if (_restart is not null)
            {
                await TryAsync(RestartAsync).ConfigureAwait(false);
            }
        }
    }

    private async Task FollowAsync()
    {
        ReplicaCore core = _core;
        CancellationToken cancellation = _following.Token;
        LogBounds bounds = await _log.GetBoundsAsync(cancellation).ConfigureAwait(false);
        Volatile.Write(ref _logEnd, bounds.Last);
        LogState state = core.State;
        bool isKnown = state.Position > 0 && bounds.First <= state.Position;
        if (bounds.Last < state.Position)
        {
            ThrowIfLost(bounds.Last);
            throw new LogUnavailableException($"The log ends at position {bounds.Last}, and {state.Position} was read before.");
        }

        await foreach (LogEntry entry in _log.ReadAsync(isKnown ? state.Position : state.Position + 1, cancellation).ConfigureAwait(false))
        {
            if (isKnown)
            {
                CheckKnown(state, entry);
                isKnown = false;
                continue;
            }

            if (entry.Position != core.State.Position + 1)
            {
                throw new LogUnavailableException($"Entry {entry.Position} follows {core.State.Position}: the log has left some out.");
            }

            await TakeAsync(core, entry, cancellation).ConfigureAwait(false);
            _watch.Read(entry.Bytes.Length);
            _barriers.Read(entry.Bytes.Span);
            NoteEnd(entry.Position);
            _read.Beat();
            if (_restart is not null)
            {
                return;
            }
        }
    }

    private async ValueTask TakeAsync(ReplicaCore core, LogEntry entry, CancellationToken cancellation)
    {
        try
        {
            if (await core.TakeAsync(entry.Position, entry.Bytes, cancellation).ConfigureAwait(false))
            {
                Volatile.Write(ref _quietSince, _time.GetTimestamp());
            }
        }
        catch (Exception error) when (error is not (OperationCanceledException or ReplicaStoppedException or StorageFullException
            or LogTrimmedException or StorageIOException or StoragePoisonedException or CommitOutcomeUnknownException))
        {
            throw ReplicaStoppedException.OfDatabase(error);
        }
    }

    /// <summary>The entry that was read last must be there still, or the log is another one, or lost its end and went on.</summary>
    private void CheckKnown(LogState state, in LogEntry entry)
    {
        if (entry.Position != state.Position || EntryHead.Read(entry.Position, entry.Bytes.Span).Crc != state.Crc)
        {
            throw ReplicaStoppedException.Ahead(
                state.Position, _door.LastTransaction, $"at position {state.Position} stands another entry than was read there");
        }
    }

    private void NoteEnd(long position)
    {
        if (position >= Volatile.Read(ref _logEnd))
        {
            Volatile.Write(ref _logEnd, position);
            Volatile.Write(ref _endAt, _time.GetTimestamp());
            _trouble = null;
        }
    }

    /// <summary>
    /// Stops the node if it has more than the log, and had for a while: a server that lags may answer with an earlier end.
    /// </summary>
    private void ThrowIfLost(long last)
    {
        LogState state = _core.State;
        if (last >= state.Position && (Role == ReplicaRole.Leader || _door.LastTransaction <= state.TransactionId))
        {
            _lostSince = 0;
            return;
        }

        long now = _time.GetTimestamp();
        _lostSince = _lostSince == 0 ? now : _lostSince;
        if (_time.GetElapsedTime(_lostSince) >= _options.LeaderTimeout)
        {
            throw ReplicaStoppedException.Ahead(
                state.Position,
                _door.LastTransaction,
                $"it ends at position {last}, and what is there has transactions up to {state.TransactionId}");
        }
    }

    private void NoteTrouble(Exception error)
    {
        _trouble = error;

        // Silence counts only while the log answers, or every outage of it would end in an election.
        Volatile.Write(ref _quietSince, _time.GetTimestamp());
    }

    private async Task RestAsync() =>
        await Task.Delay(RetryAfter, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Runs a step of a recovery; one that fails is tried again later, unless it stops the node.</summary>
    private async Task TryAsync(Func<Task> step)
    {
        try
        {
            await step().ConfigureAwait(false);
        }
        catch (ReplicaStoppedException error)
        {
            Stop(error);
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
        }
        catch (Exception error) when (error is StorageBusyException or LogUnavailableException or StorageFullException)
        {
            NoteTrouble(error);
            await RestAsync().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            Stop(ReplicaStoppedException.OfDatabase(error));
        }
    }

    /// <summary>
    /// Goes back to what the journal has, and reads the log again from the saved place: what it has of this node's commits in flight is
    /// applied then like any other node's.
    /// </summary>
    private Task RestartAsync()
    {
        Exception why = _restart!;
        _core.StepDown(why);
        _door.Fail(why);
        SetRole(ReplicaRole.Follower);
        _door.Reopen();
        BeginFrom(_saved);
        return Task.CompletedTask;
    }

    private void BeginFrom(LogState state)
    {
        _voids += _core.Voids;
        _core = MakeCore(state);
        Volatile.Write(ref _quietSince, _time.GetTimestamp());
        _following = new CancellationTokenSource();
        _restart = null;
        if (_stop.IsCancellationRequested)
        {
            _following.Cancel();
        }
    }

    private void Stop(ReplicaStoppedException error)
    {
        _failure = error;
        _core.StepDown(error);
        _door.Fail(error);
        _barriers.Fail(error);
        SetRole(ReplicaRole.Stopped);
        _read.Beat();
    }
}
