namespace Voron.Storage.Replication.Core;

/// <summary>
/// Sends what a leader has to say, one batch at a time, until it was read back: whatever the log answers, it reads to the end of the log
/// and sends again what has not counted. Duplicates are void.
/// </summary>
internal sealed class Publisher(IReplicatedLog log, Func<ReplicaCore> core, Pulse read, TimeProvider time, CancellationToken stop)
    : IDisposable
{
    private static readonly TimeSpan ResendAfter = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan AnswerWithin = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(50);

    private readonly SemaphoreSlim _turn = new(1);
    private long _lastSent;

    /// <summary>When something was last sent, by the clock's time stamps.</summary>
    internal long LastSent => Volatile.Read(ref _lastSent);

    private int MostPayloadBytes => Math.Min(EntryHead.MostPayloadBytes, log.MaxEntryBytes - EntryHead.SizeBytes);

    /// <summary>Sends a batch; the calling thread returns when it has counted.</summary>
    /// <exception cref="TimeoutException">It has not counted in time; it may later.</exception>
    internal void Send(ReadOnlySpan<byte> batch, TimeSpan most)
    {
        long began = time.GetTimestamp();
        if (!_turn.Wait(most, stop))
        {
            throw Late(most);
        }

        try
        {
            Outgoing outgoing = Begin(batch);
            _ = PublishAsync(outgoing);
            TimeSpan left = most - time.GetElapsedTime(began);
            if (!outgoing.Wait(left > TimeSpan.Zero ? left : TimeSpan.Zero, stop))
            {
                throw Late(most);
            }
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Appends a sign of life, and returns when it has counted.</summary>
    /// <exception cref="InvalidOperationException">The node does not lead, or leads no more.</exception>
    internal async ValueTask BeatAsync(CancellationToken cancellation)
    {
        await _turn.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            Outgoing outgoing = Begin([]);
            await PublishAsync(outgoing).ConfigureAwait(false);
            await outgoing.Ended.ConfigureAwait(false);
        }
        finally
        {
            _turn.Release();
        }
    }

    public void Dispose() => _turn.Dispose();

    private static TimeoutException Late(TimeSpan most) => new($"The log has not had the commit after {most.TotalSeconds:0.###} s.");

    private Outgoing Begin(ReadOnlySpan<byte> batch)
    {
        Volatile.Write(ref _lastSent, time.GetTimestamp());
        return core().TrySend(batch, MostPayloadBytes, time.GetUtcNow().UtcTicks) ?? throw new InvalidOperationException(
            "The node does not lead any more.");
    }

    private async Task PublishAsync(Outgoing outgoing)
    {
        while (!outgoing.IsOver)
        {
            bool isSent = await TryAppendAsync(outgoing).ConfigureAwait(false);
            await Pulse.WaitAsync(outgoing.Ended, isSent ? ResendAfter : Rest, time).ConfigureAwait(false);
            if (!outgoing.IsOver)
            {
                await ReadToEndAsync(outgoing).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Appends what has not counted yet, all at once. Returns whether the log has taken all.</summary>
    private async ValueTask<bool> TryAppendAsync(Outgoing outgoing)
    {
        long end = core().State.Position;
        ReadOnlyMemory<byte[]> entries = outgoing.Uncounted();
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(AnswerWithin);
        Task<bool>[] answers = new Task<bool>[entries.Length];
        for (int i = 0; i < answers.Length; i++)
        {
            answers[i] = TryAppendAsync(entries.Span[i], end + i, limit.Token);
        }

        bool isSent = true;
        foreach (Task<bool> answer in answers)
        {
            isSent &= await answer.ConfigureAwait(false);
        }

        return isSent;
    }

    private async Task<bool> TryAppendAsync(byte[] entry, long end, CancellationToken limit)
    {
        try
        {
            await log.AppendAsync(entry, end, limit).ConfigureAwait(false);
            return true;
        }
        catch (Exception)
        {
            // Whatever it was: what has not counted is sent again.
            return false;
        }
    }

    /// <summary>Waits until all was read that the log has now: then what has not counted never will, unless it comes late.</summary>
    private async ValueTask ReadToEndAsync(Outgoing outgoing)
    {
        try
        {
            using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
            limit.CancelAfter(AnswerWithin);
            LogBounds bounds = await log.GetBoundsAsync(limit.Token).ConfigureAwait(false);
            while (!outgoing.IsOver && !limit.IsCancellationRequested)
            {
                Task next = read.Next;
                if (core().State.Position >= bounds.Last)
                {
                    return;
                }

                await Pulse.WaitAsync(next, Rest, time).ConfigureAwait(false);
            }
        }
        catch (Exception)
        {
            await Pulse.WaitAsync(outgoing.Ended, Rest, time).ConfigureAwait(false);
        }
    }
}
