using System.Diagnostics;
using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Commits;

/// <summary>Runs the transactions of a row in a new database, and looks afterwards whether everything is there.</summary>
internal sealed class CommitWork(Workspace workspace, DataSet data)
{
    private const int MostInFlight = 64;

    internal CommitRound Run(CommitRow row)
    {
        string folder = workspace.NextDatabase();
        CommitRound round;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder))
        {
            GC.Collect();
            long allocated = GC.GetTotalAllocatedBytes(precise: true);
            long start = Stopwatch.GetTimestamp();
            RunAll(environment, row);
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
            environment.Flush();
            double writes = Math.Max(1, environment.GetReport().JournalWrites);
            round = new CommitRound(seconds, row.Transactions / writes, allocated);
        }

        Verify(folder, row);
        Workspace.Remove(folder);
        return round;
    }

    private void RunAll(StorageEnvironment environment, CommitRow row)
    {
        switch (row.Kind)
        {
            case CommitKind.Async:
                RunAsync(environment, row).AsTask().GetAwaiter().GetResult();
                break;
            case CommitKind.Shared:
                Task.WhenAll(Enumerable.Range(0, row.Callers).Select(caller => Task.Run(() => ShareAsync(environment, row, caller))))
                    .GetAwaiter().GetResult();
                break;
            default:
                Threads.Run(row.Callers, caller => CommitMany(environment, row, caller));
                break;
        }
    }

    private async ValueTask RunAsync(StorageEnvironment environment, CommitRow row)
    {
        Queue<ValueTask> flying = new(MostInFlight);
        for (int transaction = 0; transaction < row.Transactions; transaction++)
        {
            if (flying.Count == MostInFlight)
            {
                await flying.Dequeue();
            }

#pragma warning disable CA2012 // Many commits are in flight together; each is awaited once, in its turn.
            flying.Enqueue(Begin(environment, row, transaction).CommitAsync());
#pragma warning restore CA2012
        }

        while (flying.TryDequeue(out ValueTask commit))
        {
            await commit;
        }
    }

    private async Task ShareAsync(StorageEnvironment environment, CommitRow row, int caller)
    {
        for (int transaction = caller; transaction < row.Transactions; transaction += row.Callers)
        {
            await environment.WriteAsync(
                static (shared, work) => work.Self.Put(shared, work.Item), (Self: this, Item: transaction % data.Items));
        }
    }

    private void CommitMany(StorageEnvironment environment, CommitRow row, int caller)
    {
        for (int transaction = caller; transaction < row.Transactions; transaction += row.Callers)
        {
            using WriteTransaction open = Begin(environment, row, transaction);
            open.Commit(row.Mode);
        }
    }

    private WriteTransaction Begin(StorageEnvironment environment, CommitRow row, int number)
    {
        WriteTransaction transaction = environment.BeginWrite();
        Tree tree = Fill.OpenTree(transaction);
        for (int i = 0; i < row.Puts; i++)
        {
            int item = (int)((((long)number * row.Puts) + i) % data.Items);
            tree.Put(data.Key(KeyOrder.Random, item), data.Value(item));
        }

        return transaction;
    }

    private void Put(WriteTransaction transaction, int item) =>
        Fill.OpenTree(transaction).Put(data.Key(KeyOrder.Random, item), data.Value(item));

    private void Verify(string folder, CommitRow row)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { CreateIfMissing = false });
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(read);
        long expected = Math.Min((long)row.Transactions * row.Puts, data.Items);
        if (tree.Count != expected)
        {
            throw new VerificationException($"{row.Name}: {tree.Count:N0} entries after reopening, {expected:N0} were written.");
        }
    }
}
