using System.Collections.Concurrent;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// The callers waiting for the group in flight and for the group being filled. Each group has one futex word: the end of a write wakes
/// all of its callers with one call, plus one caller of the next group, which becomes its leader. The word changes on every event, so a
/// caller that read it earlier does not go to sleep. Asynchronous commits await a source; the pump writes for them.
/// </summary>
internal sealed class GroupWaiters(BackgroundCommitter pump, int lazyBytes) : IDisposable
{
    private readonly List<(CommitGroupId Ticket, CommitCompletion Source)> _syncs = [];

    private readonly WaitWord[] _words = [new WaitWord(), new WaitWord()];
    private readonly ConcurrentQueue<CommitCompletion> _pool = new();

    /// <summary>Registers a thread as a waiter and returns the word's value to wait on. The caller holds the journal's gate.</summary>
    internal int Join(CommitGroup group)
    {
        group.HasWaiters = true;
        return WordOf(group.Number).Value;
    }

    /// <summary>Blocks until the group's word has changed since the caller joined.</summary>
    internal void Wait(long group, int seen) => WordOf(group).WaitWhile(seen);

    /// <summary>Returns a task that completes when the group's write has ended. The caller holds the journal's gate.</summary>
    internal ValueTask JoinAsync(CommitGroup group, bool isWriting)
    {
        CommitCompletion source = Rent();
        ValueTask task = source.Task;
        group.Sources.Add(source);
        if (!isWriting)
        {
            pump.Ask();
        }

        return task;
    }

    /// <summary>Whether an asynchronous caller waits for a sync of earlier buffered writes.</summary>
    internal bool WantsSync => _syncs.Count > 0;

    /// <summary>
    /// Returns a task that completes when records that were, or are being, written buffered are on the device. The caller holds the
    /// journal's gate.
    /// </summary>
    internal ValueTask JoinSyncAsync(CommitGroupId ticket, bool isWriting)
    {
        CommitCompletion source = Rent();
        ValueTask task = source.Task;
        _syncs.Add((ticket, source));
        if (!isWriting)
        {
            pump.Ask();
        }

        return task;
    }

    /// <summary>Completes the callers whose sync is done; with an error, fails all the others.</summary>
    internal void TellSynced(CommitGroups groups, Exception? error)
    {
        for (int i = _syncs.Count - 1; i >= 0; i--)
        {
            (CommitGroupId ticket, CommitCompletion source) = _syncs[i];
            bool isDone = groups.IsDone(ticket, onDevice: true);
            if (isDone || error is not null)
            {
                _syncs.RemoveAt(i);
                source.End(isDone ? null : error);
            }
        }
    }

    /// <summary>
    /// Asks the pump to write a lazy record just added to the group: after the lazy window, or at once if enough bytes wait. The caller
    /// holds the journal's gate.
    /// </summary>
    internal void LeaveForLater(CommitGroup group, int recordBytes)
    {
        bool isFirst = !group.IsLazy;
        group.IsLazy = true;
        if (isFirst || (IsLazyFull(group) && group.UsedBytes - recordBytes < lazyBytes))
        {
            pump.Ask();
        }
    }

    /// <summary>
    /// Asks the pump to write a fragment just added to the group while the journal is idle. The caller holds the journal's gate.
    /// </summary>
    internal void LeaveToPump() => pump.Ask();

    /// <summary>Whether a group with lazy records has enough bytes to be written now.</summary>
    internal bool IsLazyFull(CommitGroup group) => group.IsLazy && group.UsedBytes >= lazyBytes;

    /// <summary>
    /// Tells all waiters of a group that it is done or, with an error, that it never will be. Returns the word of the waiting threads, to
    /// wake all of them; null if there are none.
    /// </summary>
    internal WaitWord? Tell(CommitGroup group, Exception? error)
    {
        foreach (CommitCompletion source in group.Sources)
        {
            source.End(error);
        }

        group.Sources.Clear();
        return Change(group);
    }

    /// <summary>
    /// Called when the journal becomes idle: has a waiting thread or the pump write this group. Returns the word of the waiting threads, to
    /// wake one; null if there are none.
    /// </summary>
    internal WaitWord? LetWrite(CommitGroup group)
    {
        if (!group.HasWaiters && (group.Sources.Count > 0 || group.HasFragment || WantsSync || IsLazyFull(group)))
        {
            pump.Ask();
        }

        return Change(group);
    }

    /// <summary>Stops the pump.</summary>
    public void Dispose() => pump.Dispose();

    /// <summary>Changes the group's word, so that threads about to wait check again; returns it to wake those already waiting.</summary>
    private WaitWord? Change(CommitGroup group)
    {
        if (!group.HasWaiters)
        {
            return null;
        }

        WaitWord word = WordOf(group.Number);
        word.Increment();
        return word;
    }

    private CommitCompletion Rent() => _pool.TryDequeue(out CommitCompletion? used) ? used : new CommitCompletion(_pool);

    private WaitWord WordOf(long group) => _words[group & 1];
}
