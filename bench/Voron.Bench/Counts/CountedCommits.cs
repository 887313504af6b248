using Voron.Storage;

namespace Voron.Bench.Counts;

/// <summary>Durable commits whose counts are known.</summary>
/// <param name="Expected">What they must cost.</param>
/// <param name="Order">Order of the keys.</param>
/// <param name="Puts">Puts of each transaction.</param>
/// <param name="ArePairs">Whether pairs are added to a multi-value tree instead.</param>
internal sealed record CountedCommits(CommitCounts Expected, KeyOrder Order, int Puts, bool ArePairs = false)
{
    private const int WarmTransactions = 400;
    private const int Transactions = 100;

    /// <summary>Of the multi-value tree.</summary>
    private const int Keys = 1_000;

    /// <summary>Length of the values of the multi-value tree.</summary>
    private const int PairValueBytes = 8;

    /// <summary>
    /// Bytes are whole blocks of 4 KiB around the records, the same on every machine: 100 puts of 16 + 100 bytes fill three; one put, and
    /// 100 pairs of 16 + 8 bytes, are in one. A commit is one write; where that is not known to reach the device, one sync as well.
    /// </summary>
    internal static IReadOnlyList<CountedCommits> In(Workspace workspace)
    {
        int syncs = workspace.SyncsPerWrite;
        return
        [
            new(new CommitCounts("100 random puts", 12_288, 1, syncs, 0), KeyOrder.Random, 100),
            new(new CommitCounts("100 ascending puts", 12_288, 1, syncs, 0), KeyOrder.Ascending, 100),
            new(new CommitCounts("100 puts of sequential ids", 12_288, 1, syncs, 0), KeyOrder.SequentialId, 100),
            new(new CommitCounts("one random put", 4_096, 1, syncs, 0), KeyOrder.Random, 1),
            new(new CommitCounts("100 pair adds", 4_096, 1, syncs, 0), KeyOrder.Random, 100, ArePairs: true),
        ];
    }

    /// <summary>Counts them in a fresh database.</summary>
    internal CommitCounts Count(string folder, ulong seed)
    {
        DataSet data = new((WarmTransactions + Transactions) * Puts, seed);
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        Commit(environment, data, 0, WarmTransactions);
        EnvironmentReport before = environment.GetReport();
        double managed = Spread.Of(Enumerable.Range(WarmTransactions, Transactions)
            .Select(transaction => (double)AllocatedBy(environment, data, transaction)).ToArray()).Median;
        EnvironmentReport after = environment.GetReport();
        double commits = after.Commits - before.Commits;
        Demands.Count(Expected.Name, after.Commits - before.Commits, Transactions);
        return new CommitCounts(
            Expected.Name,
            (after.JournalBytesWritten - before.JournalBytesWritten) / commits,
            (after.JournalWrites - before.JournalWrites) / commits,
            (after.JournalSyncs - before.JournalSyncs) / commits,
            managed);
    }

    private long AllocatedBy(StorageEnvironment environment, DataSet data, int transaction)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Commit(environment, data, transaction, transaction + 1);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private void Commit(StorageEnvironment environment, DataSet data, int first, int end)
    {
        for (int transaction = first; transaction < end; transaction++)
        {
            using WriteTransaction open = environment.BeginWrite();
            if (ArePairs)
            {
                AddPairs(open, data, transaction);
            }
            else
            {
                Put(open, data, transaction);
            }

            open.Commit();
        }
    }

    private void Put(WriteTransaction open, DataSet data, int transaction)
    {
        Tree tree = Fill.OpenTree(open);
        for (int item = transaction * Puts; item < (transaction + 1) * Puts; item++)
        {
            tree.Put(data.Key(Order, item), data.Value(item));
        }
    }

    private void AddPairs(WriteTransaction open, DataSet data, int transaction)
    {
        MultiTree tree = open.OpenMultiTree(Fill.TreeName, PairValueBytes);
        for (int item = transaction * Puts; item < (transaction + 1) * Puts; item++)
        {
            tree.Add(data.Key(Order, item % Keys), data.Value(item)[..PairValueBytes]);
        }
    }
}
