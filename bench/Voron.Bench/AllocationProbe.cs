using System.Globalization;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>Managed bytes that a durable transaction of 100 puts allocates once everything is warm.</summary>
internal sealed class AllocationProbe
{
    private long _putBytes;
    private long _commitBytes;
    private long _restBytes;
    private long _processBytes;
    private int _transactions;

    /// <summary>Runs some transactions of the fill and counts what the calling thread and the process allocated.</summary>
    internal void Run(StorageEnvironment environment, FillWorkload workload, DataSet data, int first, int end)
    {
        long processBefore = GC.GetTotalAllocatedBytes(precise: true);
        for (int transaction = first; transaction < end; transaction++)
        {
            Count(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }

        _processBytes += GC.GetTotalAllocatedBytes(precise: true) - processBefore;
        _transactions += end - first;
    }

    /// <summary>The result in one line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"managed bytes, steady state: {(double)_putBytes / _transactions / FillWorkload.ItemsPerTransaction:0.####} a put, "
        + $"{(double)_commitBytes / _transactions:0.####} a commit, "
        + $"{(double)_restBytes / _transactions:0.####} a begin, open and end (calling thread); "
        + $"{(double)_processBytes / _transactions:0.####} a transaction of 100 puts (whole process, {_transactions:N0} transactions)");

    private void Count(StorageEnvironment environment, FillWorkload workload, DataSet data, int firstItem)
    {
        long start = GC.GetAllocatedBytesForCurrentThread();
        WriteTransaction transaction = environment.BeginWrite();
        Tree tree = Fill.OpenTree(transaction);
        long begun = GC.GetAllocatedBytesForCurrentThread();
        for (int item = firstItem; item < firstItem + FillWorkload.ItemsPerTransaction; item++)
        {
            tree.Put(data.Key(workload.Order, item), data.Value(item));
        }

        long put = GC.GetAllocatedBytesForCurrentThread();
        transaction.Commit(workload.Mode);
        long committed = GC.GetAllocatedBytesForCurrentThread();
        transaction.Dispose();
        long ended = GC.GetAllocatedBytesForCurrentThread();
        _putBytes += put - begun;
        _commitBytes += committed - put;
        _restBytes += begun - start + ended - committed;
    }
}
