namespace Voron.Storage.Replication.Core;

/// <summary>
/// Reads that see all that was acknowledged before: an entry that is appended after they were asked for is read back, and so is all before
/// it. One entry serves all that wait when it is sent.
/// </summary>
internal sealed class Barriers(IReplicatedLog log, Func<ReplicaCore> core, Publisher publisher, TimeProvider time)
{
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan AnswerWithin = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Pulse _asked = new();
    private TaskCompletionSource? _next;
    private TaskCompletionSource? _sent;
    private Guid _nonce;
    private Exception? _failure;

    internal async Task WaitAsync(CancellationToken cancellation)
    {
        Task round;
        lock (_gate)
        {
            if (_failure is { } failure)
            {
                throw new ReplicaStoppedException(
                    (failure as ReplicaStoppedException)?.Fault ?? ReplicaFault.None, failure.Message, failure);
            }

            round = (_next ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }

        _asked.Beat();
        await round.WaitAsync(cancellation).ConfigureAwait(false);
    }

    /// <summary>An entry was read, and applied.</summary>
    internal void Read(ReadOnlySpan<byte> entry)
    {
        if (_sent is null || (EntryKind)entry[4] != EntryKind.Barrier)
        {
            return;
        }

        lock (_gate)
        {
            if (_sent is { } sent && entry[EntryHead.SizeBytes..].SequenceEqual(_nonce.ToByteArray()))
            {
                _sent = null;
                sent.TrySetResult();
            }
        }
    }

    /// <summary>Nothing will be read any more.</summary>
    internal void Fail(Exception why)
    {
        lock (_gate)
        {
            _failure ??= why;
            Fail(_sent);
            Fail(_next);
        }

        _asked.Beat();

        void Fail(TaskCompletionSource? round)
        {
            round?.TrySetException(why);
            _ = round?.Task.Exception;
        }
    }

    internal async Task RunAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested && Volatile.Read(ref _failure) is null)
        {
            Task asked = _asked.Next;
            if (Begin() is { } round)
            {
                await SendAsync(round, stop).ConfigureAwait(false);
            }
            else
            {
                await asked.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private TaskCompletionSource? Begin()
    {
        lock (_gate)
        {
            _sent = _next;
            _next = null;
            _nonce = Guid.NewGuid();
            return _sent;
        }
    }

    private async ValueTask SendAsync(TaskCompletionSource round, CancellationToken stop)
    {
        byte[] entry = EntryHead.Make(EntryKind.Barrier, EntryFlags.None, 0, 0, _nonce.ToByteArray());
        while (!round.Task.IsCompleted && !stop.IsCancellationRequested)
        {
            TimeSpan rest = AnswerWithin;
            try
            {
                if (core().IsLeader)
                {
                    // Its own entries are in order with its commits, and do not get in their way.
                    await publisher.BeatAsync(stop).ConfigureAwait(false);
                    round.TrySetResult();
                    return;
                }

                using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
                limit.CancelAfter(AnswerWithin);
                await log.AppendAsync(entry, core().State.Position, limit.Token).ConfigureAwait(false);
            }
            catch (LogConflictException)
            {
                rest = TimeSpan.FromMilliseconds(1);
            }
            catch (Exception)
            {
                rest = Rest;
            }

            await Pulse.WaitAsync(round.Task, rest, time).ConfigureAwait(false);
        }
    }
}
