using System.Collections.Concurrent;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Who waits for the batch in flight or for the one that fills behind it. Threads wait on one word a batch, so that the end of a write
/// wakes exactly its own callers with one call, and one of the next batch's callers, who writes that. A word changes with every event: who
/// looked before and comes late does not fall asleep. Asynchronous commits wait by a source; the pump writes for them.
/// </summary>
internal sealed class BatchWaiters(CommitPump pump, int lazyBytes, ITurns? turns) : IDisposable
{
    private readonly List<(CommitTicket Ticket, CommitSource Source)> _syncs = [];

    private readonly WaitWord[] _words = [new WaitWord(turns), new WaitWord(turns)];
    private readonly ConcurrentQueue<CommitSource> _pool = new();

    /// <summary>Announces a thread and gives what it waits with. The caller holds the journal's gate.</summary>
    internal int Join(CommitBatch batch)
    {
        batch.HasWaiters = true;
        return WordOf(batch.Number).Value;
    }

    /// <summary>Returns when something has happened to the batch since the caller joined.</summary>
    internal void Wait(long batch, int seen) => WordOf(batch).WaitWhile(seen);

    /// <summary>What an asynchronous commit awaits until the batch's write has ended. The caller holds the journal's gate.</summary>
    internal ValueTask JoinAsync(CommitBatch batch, bool isWriting)
    {
        CommitSource source = Rent();
        ValueTask task = source.Task;
        batch.Sources.Add(source);
        if (!isWriting)
        {
            pump.Ask();
        }

        return task;
    }

    /// <summary>Somebody waits until what was written without the device is on it.</summary>
    internal bool WantsSync => _syncs.Count > 0;

    /// <summary>
    /// What an asynchronous caller awaits whose records were written, or are being written, without the device. The caller holds the
    /// journal's gate.
    /// </summary>
    internal ValueTask JoinSyncAsync(CommitTicket ticket, bool isWriting)
    {
        CommitSource source = Rent();
        ValueTask task = source.Task;
        _syncs.Add((ticket, source));
        if (!isWriting)
        {
            pump.Ask();
        }

        return task;
    }

    /// <summary>Tells those who wait for a sync that it is done, or, all of them, that it never will be.</summary>
    internal void TellSynced(BatchPair batches, Exception? error)
    {
        for (int i = _syncs.Count - 1; i >= 0; i--)
        {
            (CommitTicket ticket, CommitSource source) = _syncs[i];
            bool isDone = batches.IsDone(ticket, onDevice: true);
            if (isDone || error is not null)
            {
                _syncs.RemoveAt(i);
                source.End(isDone ? null : error);
            }
        }
    }

    /// <summary>
    /// A lazy record was added to the batch: somebody is to write it after a while, or soon, when many bytes wait. The caller holds the
    /// journal's gate.
    /// </summary>
    internal void LeaveForLater(CommitBatch batch, int recordBytes)
    {
        bool isFirst = !batch.IsLazy;
        batch.IsLazy = true;
        if (isFirst || (IsLazyFull(batch) && batch.UsedBytes - recordBytes < lazyBytes))
        {
            pump.Ask();
        }
    }

    /// <summary>
    /// A fragment was added to the batch, and nobody is writing: the pump is to write it. The caller holds the journal's gate.
    /// </summary>
    internal void LeaveToPump() => pump.Ask();

    /// <summary>So many bytes of a batch with lazy records wait that it is to be written now.</summary>
    internal bool IsLazyFull(CommitBatch batch) => batch.IsLazy && batch.UsedBytes >= lazyBytes;

    /// <summary>
    /// Tells all who wait for a batch that it is done, or, with an error, that it never will be. Gives the word of the threads among them,
    /// to wake all.
    /// </summary>
    internal WaitWord? Tell(CommitBatch batch, Exception? error)
    {
        foreach (CommitSource source in batch.Sources)
        {
            source.End(error);
        }

        batch.Sources.Clear();
        return Change(batch);
    }

    /// <summary>
    /// Nobody is writing now: whoever waits for this batch, or the pump, is to write it. Gives the word of the threads, to wake one.
    /// </summary>
    internal WaitWord? LetWrite(CommitBatch batch)
    {
        if (!batch.HasWaiters && (batch.Sources.Count > 0 || batch.HasFragment || WantsSync || IsLazyFull(batch)))
        {
            pump.Ask();
        }

        return Change(batch);
    }

    /// <summary>Ends the pump.</summary>
    public void Dispose() => pump.Dispose();

    /// <summary>Whoever is about to wait for the batch looks again; the word is there to wake those who do already.</summary>
    private WaitWord? Change(CommitBatch batch)
    {
        if (!batch.HasWaiters)
        {
            return null;
        }

        WaitWord word = WordOf(batch.Number);
        word.Increment();
        return word;
    }

    private CommitSource Rent() => _pool.TryDequeue(out CommitSource? used) ? used : new CommitSource(_pool);

    private WaitWord WordOf(long batch) => _words[batch & 1];
}
