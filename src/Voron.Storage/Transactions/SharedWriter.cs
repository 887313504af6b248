using System.Collections.Concurrent;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// Runs small writes of many callers in few transactions. Whoever finds nobody at it begins a transaction with all that waits, each part
/// behind a savepoint of its own, so that one that throws takes nothing with it; while that transaction goes to the device, the next one
/// takes what has come since.
/// </summary>
internal sealed class SharedWriter(Func<ValueTask<WriteLease>> begin, ITurns? turns) : IThreadPoolWorkItem
{
    private const int MostParts = 256;
    private const int MostBytes = 1 << 20;

    private readonly ConcurrentQueue<SharedWrite> _waiting = new();
    private readonly ConcurrentBag<List<SharedWrite>> _lists = [];
    private int _isAtIt;

    internal void Add(SharedWrite write)
    {
        _waiting.Enqueue(write);
        turns?.Pass(TurnPoint.Signal);
        if (Interlocked.Exchange(ref _isAtIt, 1) == 0)
        {
            EngineThread.RunDetached(static self => _ = ((SharedWriter)self!).WriteAsync(), this);
        }
    }

    /// <summary>Goes on where a caller stopped, who has his own things to do.</summary>
    void IThreadPoolWorkItem.Execute() => _ = WriteAsync();

    /// <summary>One transaction, and then perhaps others. Nothing is thrown here: every failure belongs to those who wait.</summary>
    private async Task WriteAsync()
    {
        while (true)
        {
            await WriteOneAsync().ConfigureAwait(false);
            if (_waiting.IsEmpty && !TryStay())
            {
                return;
            }

            if (turns is null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                return;
            }
        }
    }

    /// <summary>Nothing waits: leaves, unless something has come meanwhile and nobody else is at it.</summary>
    private bool TryStay()
    {
        Interlocked.Exchange(ref _isAtIt, 0);
        turns?.Pass(TurnPoint.Signal);
        return !_waiting.IsEmpty && Interlocked.Exchange(ref _isAtIt, 1) == 0;
    }

    private async ValueTask WriteOneAsync()
    {
        List<SharedWrite> parts = _lists.TryTake(out List<SharedWrite>? used) ? used : [];
        WriteLease lease;
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

        _ = TellAsync(commit, parts);
    }

    /// <summary>For a schedule under test the wait is that of the thread at hand.</summary>
    private ValueTask Commit(WriteSession session, WriteLease lease, long generation)
    {
        if (turns is null)
        {
            return session.CommitAsync(lease, generation, CommitMode.Durable);
        }

        session.Commit(lease, generation, CommitMode.Durable);
        return ValueTask.CompletedTask;
    }

    /// <summary>Gives the generation that only this writer has: each action's handles are stale when it has returned.</summary>
    private long RunParts(WriteLease lease, List<SharedWrite> parts)
    {
        WriteSession session = lease.Session;
        while (parts.Count < MostParts && session.NotedBytes < MostBytes && _waiting.TryDequeue(out SharedWrite? part))
        {
            if (!part.TryTake())
            {
                continue;
            }

            parts.Add(part);
            long savepoint = session.CreateSavepoint(session.Generation);
            try
            {
                Run(part, lease);
                session.CheckNoWriter();
                session.Release(session.Generation, savepoint);
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
    /// Runs an action in the default execution context, whatever the thread at hand is doing for its own caller, and whatever the action
    /// before has set.
    /// </summary>
    private static void Run(SharedWrite part, WriteLease lease)
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
        session.RollbackTo(session.Generation, savepoint);
        session.Release(session.Generation, savepoint);
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
