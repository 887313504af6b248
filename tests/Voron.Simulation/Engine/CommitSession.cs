using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// A session that commits each transaction in another way, in turn: plainly; around changes that are undone by savepoints; without a thread
/// that waits; as actions of several callers, some of which fail. What is promised and what is there in the end is the same.
/// </summary>
internal sealed class CommitSession(StorageEnvironment environment, EngineSession inner) : ICrashSession
{
    private const int Ways = 4;
    private const int JunkBytes = 2500;

    /// <summary>Goes straight to the data file; odd, so as a stream.</summary>
    private const int LargeJunkBytes = EngineSubject.PlacedValueBytes + 4097;

    private int _commits;

    public long LastTransactionId => inner.LastTransactionId;

    public long VisibleTransactionId => inner.VisibleTransactionId;

    public IEnumerable<(long Offset, long Bytes)> ReachedThroughMap => inner.ReachedThroughMap;

    public long ReplayedTransactions => inner.ReplayedTransactions;

    public long Commit(WorkloadTransaction transaction)
    {
        switch (_commits++ % Ways)
        {
            case 0:
                return inner.Commit(transaction);
            case 1:
                CommitAroundSavepoints(transaction);
                break;
            case 2 when transaction.Promise == CommitPromise.Durable:
                CommitShared(transaction);
                break;
            default:
                CommitWithoutThread(transaction);
                break;
        }

        return inner.LastTransactionId;
    }

    public long CommitGroup(IReadOnlyList<WorkloadTransaction> transactions) => inner.CommitGroup(transactions);

    public void Rollback(WorkloadTransaction transaction)
    {
        using WriteTransaction write = environment.BeginWrite(TimeSpan.Zero);
        write.CreateSavepoint();
        inner.Change(write, transaction.Changes);
        write.CreateSavepoint();
        Disturb(write, transaction.Changes);
    }

    public long OpenReader(int slot) => inner.OpenReader(slot);

    public void VisitReader(int slot, ContentVisitor visitor) => inner.VisitReader(slot, visitor);

    public void CloseReader(int slot) => inner.CloseReader(slot);

    public void Checkpoint() => inner.Checkpoint();

    public void VisitContent(ContentVisitor visitor) => inner.VisitContent(visitor);

    public void Check() => inner.Check();

    public void Close() => inner.Close();

    public void Abandon() => inner.Abandon();

    /// <summary>Changes that are to be undone: of the same keys, of others, and of trees as a whole.</summary>
    private void Disturb(WriteTransaction write, IReadOnlyList<WorkloadChange> changes)
    {
        int bytes = inner.Trees?.MostJunkBytes ?? JunkBytes;
        foreach (WorkloadChange change in changes.Take(4))
        {
            inner.Change(write, [change with { Value = change.Value is null ? new byte[bytes] : null }]);
        }

        inner.Change(write, [new WorkloadChange("junk"u8.ToArray(), new byte[JunkBytes])]);
        inner.Change(write, [new WorkloadChange("large junk"u8.ToArray(), new byte[LargeJunkBytes])]);
        inner.Trees?.Disturb(write);
        write.OpenTree("junk").Put("k"u8, new byte[JunkBytes]);
        write.DropTree("even");
        write.OpenTree("even").Put("junk"u8, "left"u8);
    }

    private void CommitAroundSavepoints(WorkloadTransaction transaction)
    {
        using WriteTransaction write = environment.BeginWrite(TimeSpan.Zero);
        Savepoint first = write.CreateSavepoint();
        Disturb(write, transaction.Changes);
        write.RollbackTo(first);
        int half = transaction.Changes.Count / 2;
        inner.Change(write, transaction.Changes.Take(half));
        Savepoint second = write.CreateSavepoint();
        Disturb(write, transaction.Changes);
        Savepoint third = write.CreateSavepoint();
        Disturb(write, transaction.Changes);
        write.RollbackTo(third);
        write.RollbackTo(second);
        inner.Change(write, transaction.Changes.Skip(half));
        write.Release(first);
        write.Commit(EngineSession.ModeOf(transaction));
    }

    private void CommitWithoutThread(WorkloadTransaction transaction)
    {
        WriteTransaction write = environment.BeginWriteAsync(TimeSpan.Zero).AsTask().GetAwaiter().GetResult();
        using (write)
        {
            inner.Change(write, transaction.Changes);
            write.CommitAsync(EngineSession.ModeOf(transaction)).AsTask().GetAwaiter().GetResult();
        }
    }

    /// <summary>All wait behind an open transaction, so that they run in one, in the order of their coming.</summary>
    private void CommitShared(WorkloadTransaction transaction)
    {
        List<Task> parts = [];
        using (environment.BeginWrite(TimeSpan.Zero))
        {
            foreach (WorkloadChange change in transaction.Changes)
            {
                parts.Add(environment.WriteAsync(
                    static (tx, own) => own.Inner.Change(tx, [own.Change]), (Inner: inner, Change: change)).AsTask());
                Task failing = environment.WriteAsync(
                    static (tx, own) =>
                    {
                        own.Self.Disturb(tx, [own.Change]);
                        throw new InvalidTimeZoneException("meant to fail");
                    },
                    (Self: this, Change: change)).AsTask();
                parts.Add(failing.ContinueWith(static task => Expect(task), TaskScheduler.Default));
            }
        }

        Task.WhenAll(parts).GetAwaiter().GetResult();
    }

    private static void Expect(Task failing)
    {
        if (failing.Exception?.InnerException is not InvalidTimeZoneException)
        {
            throw new InvalidDataException("An action that failed was told something else.", failing.Exception?.InnerException);
        }
    }
}
