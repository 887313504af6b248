using System.Diagnostics;
using Voron.Bench.Measuring;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>Runs a fill on a fresh database, and looks afterwards whether everything is there.</summary>
internal static class Fill
{
    internal const string TreeName = "fill";
    private const int SampledKeys = 1_000;

    /// <summary>Fills a new database in the folder and closes it. Opening and closing are not part of the fill's time.</summary>
    internal static Measured Run(string folder, FillWorkload workload, DataSet data)
    {
        Latencies latencies = new(workload.Transactions);
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        EnvironmentReport before = environment.GetReport();
        using Meter meter = new(folder);
        long last = Stopwatch.GetTimestamp();
        for (int transaction = 0; transaction < workload.Transactions; transaction++)
        {
            RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
        }

        meter.Stop(workload.Items, latencies);
        EnvironmentReport after = environment.GetReport();
        meter.Close(environment);
        return meter.ToMeasured().WithCounts(before, after);
    }

    /// <summary>All transactions of the fill.</summary>
    internal static void RunAll(StorageEnvironment environment, FillWorkload workload, DataSet data)
    {
        for (int transaction = 0; transaction < workload.Transactions; transaction++)
        {
            RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }
    }

    /// <summary>One transaction of the fill: 100 items from this one on.</summary>
    internal static void RunTransaction(StorageEnvironment environment, FillWorkload workload, DataSet data, int firstItem)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = OpenTree(transaction);
        for (int item = firstItem; item < firstItem + FillWorkload.ItemsPerTransaction; item++)
        {
            tree.Put(data.Key(workload.Order, item), data.Value(item));
        }

        transaction.Commit(workload.Mode);
    }

    /// <summary>Opens the tree of a fill for writing.</summary>
    internal static Tree OpenTree(WriteTransaction transaction) => transaction.OpenTree(TreeName);

    /// <summary>Opens the tree that a fill made.</summary>
    internal static ReadTree OpenTree(ReadTransaction transaction) =>
        transaction.TryOpenTree(TreeName, out ReadTree tree)
            ? tree
            : throw new VerificationException($"the tree '{TreeName}' is not there after reopening.");

    /// <summary>Reopens the database and compares it with what was written: the count, the order of all keys, and sampled values.</summary>
    internal static void Verify(string folder, FillWorkload workload, DataSet data)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { CreateIfMissing = false });
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = OpenTree(transaction);
        if (tree.Count != workload.Items)
        {
            throw new VerificationException($"{workload.Name}: {tree.Count:N0} entries after reopening, {workload.Items:N0} were written.");
        }

        VerifyOrder(tree, workload);
        for (int sample = 0; sample < SampledKeys; sample++)
        {
            int item = (int)((long)sample * workload.Items / SampledKeys);
            if (!tree.TryGet(data.Key(workload.Order, item), out ReadOnlySpan<byte> value) || !value.SequenceEqual(data.Value(item)))
            {
                throw new VerificationException($"{workload.Name}: item {item:N0} is missing after reopening, or has another value.");
            }
        }
    }

    private static void VerifyOrder(ReadTree tree, FillWorkload workload)
    {
        long entries = 0;
        Span<byte> previous = stackalloc byte[DataSet.KeyBytes];
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            bool follows = entries == 0 || previous.SequenceCompareTo(key) < 0;
            if (!follows || key.Length != DataSet.KeyBytes || value.Length != DataSet.ValueBytes)
            {
                throw new VerificationException($"{workload.Name}: entry {entries:N0} is out of order or of another length.");
            }

            key.CopyTo(previous);
            entries++;
        }

        if (entries != workload.Items)
        {
            throw new VerificationException($"{workload.Name}: a scan meets {entries:N0} entries, {workload.Items:N0} were written.");
        }
    }
}
