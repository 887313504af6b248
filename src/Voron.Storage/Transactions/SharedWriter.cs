using System.Collections.Concurrent;
using Voron.Storage.Threads;

namespace Voron.Storage.Transactions;

/// <summary>
/// Runs the small writes of many callers in few transactions. A caller that finds the writer idle starts it: it begins a transaction for
/// all waiting parts, each after its own savepoint, so that a part that throws undoes only itself. While that transaction is written to
/// the device, the next one takes the parts that arrived since.
/// <para>
/// With an outer log, which takes one group of commits at a time and long for each, a transaction waits for the one before, and then for
/// the callers of that one that come back at once. Otherwise every group would have half of the callers.
/// </para>
/// </summary>
/// <param name="begin">Begins a write transaction.</param>
/// <param name="hasOuterLog">Whether an outer log has all commits first.</param>
internal sealed class SharedWriter(Func<ValueTask<WriteHandle>> begin, Func<bool> hasOuterLog) : IThreadPoolWorkItem
{
    private const int MostParts = 256;
    private const int MostBytes = 1 << 20;

    private readonly ConcurrentQueue<SharedWrite> _waiting = new();
    private readonly ConcurrentBag<List<SharedWrite>> _lists = [];
    private int _isAtIt;

    /// <summary>Ends when the callers of the last transaction are told.</summary>
    private Task _told = Task.CompletedTask;

    internal void Add(SharedWrite write)
    {
        _waiting.Enqueue(write);
        Scheduling.Pass(SchedulingPoint.Signal);
        if (Interlocked.Exchange(ref _isAtIt, 1) == 0)
        {
            EngineThread.RunDetached(static self => _ = ((SharedWriter)self!).WriteAsync(), this);
        }
    }

    /// <summary>Continues on the thread pool, so that the thread that ran the last transaction is released.</summary>
    void IThreadPoolWorkItem.Execute() => _ = WriteAsync();

    /// <summary>Runs transactions while parts are waiting. Throws nothing: every failure is reported to the waiting callers.</summary>
    private async Task WriteAsync()
    {
        while (true)
        {
            if (hasOuterLog() && Scheduling.Current is null)
            {
                await GatherAsync().ConfigureAwait(false);
            }

            await WriteOneAsync().ConfigureAwait(false);
            if (_waiting.IsEmpty && !TryStay())
            {
                return;
            }

            if (EngineThread.TryQueue(this))
            {
                return;
            }
        }
    }

    /// <summary>Stops being the writer when no part waits; true if one arrived meanwhile and no other thread became the writer.</summary>
    private bool TryStay()
    {
        Interlocked.Exchange(ref _isAtIt, 0);
        Scheduling.Pass(SchedulingPoint.Signal);
        return !_waiting.IsEmpty && Interlocked.Exchange(ref _isAtIt, 1) == 0;
    }

    private async ValueTask WriteOneAsync()
    {
        List<SharedWrite> parts = _lists.TryTake(out List<SharedWrite>? used) ? used : [];
        WriteHandle lease;
        try
        {
            lease = await begin().ConfigureAwait(false);
        }
        catch (Exception error)
        {
            TakeAll(parts);
            Fail(parts, error);
            return;
        }

        WriteSession session = lease.Session;
        ValueTask commit;
        try
        {
            session.IsShared = true;
            commit = Commit(session, lease, RunParts(lease, parts));
        }
        catch (Exception error)
        {
            session.Abort(lease);
            Fail(parts, error);
            return;
        }

        _told = TellAsync(commit, parts);
    }

    /// <summary>Waits until the last transaction has ended, and while parts keep arriving; not if there are enough for one.</summary>
    private async ValueTask GatherAsync()
    {
        if (_waiting.Count >= MostParts)
        {
            return;
        }

        await _told.ConfigureAwait(false);
        for (int seen = 0; _waiting.Count is var count && count > seen && count < MostParts; seen = count)
        {
            // Behind the continuations of the callers that were told, which are in the queues of single threads.
            await Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.PreferFairness, TaskScheduler.Default)
                .ConfigureAwait(false);
        }
    }

    /// <summary>Commits. Under a scheduler, which knows only its own threads, the calling thread waits.</summary>
    private static ValueTask Commit(WriteSession session, WriteHandle lease, long generation)
    {
        if (Scheduling.Current is null)
        {
            return session.CommitAsync(lease, generation, CommitMode.Durable);
        }

        session.Commit(lease, generation, CommitMode.Durable);
        return ValueTask.CompletedTask;
    }

    /// <summary>Returns the current generation, which only this writer has: each action's handles are stale once it returned.</summary>
    private long RunParts(WriteHandle lease, List<SharedWrite> parts)
    {
        WriteSession session = lease.Session;
        while (parts.Count < MostParts && session.Redo.Notes.Length < MostBytes && _waiting.TryDequeue(out SharedWrite? part))
        {
            if (!part.TryTake())
            {
                continue;
            }

            parts.Add(part);
            long savepoint = session.Savepoints.Create(session.Generation);
            try
            {
                Run(part, lease);
                session.Values.CheckNoWriter();
                session.Savepoints.Release(session.Generation, savepoint);
            }
            catch (Exception error)
            {
                Undo(session, savepoint);
                parts.RemoveAt(parts.Count - 1);
                part.Fail(error);
            }
        }

        return session.Generation;
    }

    /// <summary>
    /// Runs an action in the default execution context, independent of the context of the current thread and of what the previous action
    /// has set.
    /// </summary>
    private static void Run(SharedWrite part, WriteHandle lease)
    {
        part.Lease = lease;
        try
        {
            EngineThread.RunDetached(static part => ((SharedWrite)part!).Run(), part);
        }
        finally
        {
            part.Lease = null;
            lease.Session.PassOn(lease);
        }
    }

    private static void Undo(WriteSession session, long savepoint)
    {
        session.Savepoints.RollbackTo(session.Generation, savepoint);
        session.Savepoints.Release(session.Generation, savepoint);
    }

    private async Task TellAsync(ValueTask commit, List<SharedWrite> parts)
    {
        try
        {
            await commit.ConfigureAwait(false);
        }
        catch (Exception error)
        {
            Fail(parts, error);
            return;
        }

        foreach (SharedWrite part in parts)
        {
            part.Succeed();
        }

        Return(parts);
    }

    private void TakeAll(List<SharedWrite> parts)
    {
        while (_waiting.TryDequeue(out SharedWrite? part))
        {
            if (part.TryTake())
            {
                parts.Add(part);
            }
        }
    }

    private void Fail(List<SharedWrite> parts, Exception error)
    {
        foreach (SharedWrite part in parts)
        {
            part.Fail(error);
        }

        Return(parts);
    }

    private void Return(List<SharedWrite> parts)
    {
        parts.Clear();
        _lists.Add(parts);
    }
}
