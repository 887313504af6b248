using System.Collections.Concurrent;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Who waits for the batch in flight or for the one that fills behind it. Threads wait on one word a batch, so that the end of a write
/// wakes exactly its own callers with one call, and one of the next batch's callers, who writes that. A word changes with every event: who
/// looked before and comes late does not fall asleep. Asynchronous commits wait by a source; the pump writes for them.
/// </summary>
internal sealed class BatchWaiters(CommitPump pump, ITurns? turns) : IDisposable
{
    private readonly WaitWord[] _words = [new WaitWord(), new WaitWord()];
    private readonly ConcurrentQueue<CommitSource> _pool = new();

    /// <summary>Announces a thread and gives what it waits with. The caller holds the journal's gate.</summary>
    internal int Join(CommitBatch batch)
    {
        batch.HasWaiters = true;
        return WordOf(batch.Number).Value;
    }

    /// <summary>Returns when something has happened to the batch since the caller joined.</summary>
    internal void Wait(long batch, int seen)
    {
        WaitWord word = WordOf(batch);
        if (turns is null)
        {
            word.WaitWhile(seen);
            return;
        }

        while (word.Value == seen)
        {
            turns.Sleep(word, TurnPoint.Wait, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>What an asynchronous commit awaits until the batch's write has ended. The caller holds the journal's gate.</summary>
    internal ValueTask JoinAsync(CommitBatch batch, bool isWriting)
    {
        CommitSource source = _pool.TryDequeue(out CommitSource? used) ? used : new CommitSource(_pool);
        ValueTask task = source.Task;
        batch.Sources.Add(source);
        if (!isWriting)
        {
            pump.Ask();
        }

        return task;
    }

    /// <summary>Tells all who wait for a batch that it is done, or, with an error, that it never will be.</summary>
    internal void Tell(CommitBatch batch, Exception? error)
    {
        foreach (CommitSource source in batch.Sources)
        {
            source.End(error);
        }

        batch.Sources.Clear();
        if (batch.HasWaiters)
        {
            Wake(WordOf(batch.Number), all: true);
        }
    }

    /// <summary>Nobody is writing now: whoever waits for this batch, or the pump, is to write it.</summary>
    internal void LetWrite(CommitBatch batch)
    {
        if (batch.HasWaiters)
        {
            Wake(WordOf(batch.Number), all: false);
        }
        else if (batch.Sources.Count > 0)
        {
            pump.Ask();
        }
    }

    /// <summary>Ends the pump.</summary>
    public void Dispose() => pump.Dispose();

    private void Wake(WaitWord word, bool all)
    {
        if (Sabotage.Is(SabotageRule.ForgetWaiters))
        {
            return;
        }

        word.Increment();
        if (turns is not null)
        {
            turns.Wake(word);
        }
        else if (all)
        {
            word.WakeAll();
        }
        else
        {
            word.WakeOne();
        }
    }

    private WaitWord WordOf(long batch) => _words[batch & 1];
}
