using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>
/// Opening after a kill: 16 MiB of commits that no checkpoint has seen are read and made again. An operation is one MiB of journal.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The global clean-up does; BenchmarkDotNet disposes of nothing.")]
[Config(typeof(HeadlineConfig))]
[MemoryDiagnoser]
public class RecoveryBenchmark
{
    private const int Mebibytes = 16;
    private const int Transactions = (Mebibytes << 20) / RawLimit.HeadlineWriteBytes;

    /// <summary>No checkpoint before the end.</summary>
    private static readonly StorageOptions Never = new()
    {
        JournalSoftLimitBytes = 1L << 40, JournalHardLimitBytes = 1L << 41, MaxDirtyBytes = 1L << 40,
    };

    private Workspace _workspace = null!;
    private string _killed = string.Empty;
    private string _copy = string.Empty;

    /// <summary>Makes the files that a killed process leaves.</summary>
    [GlobalSetup]
    public void MakeFiles()
    {
        _workspace = new Workspace(parent: null);
        _killed = _workspace.NextDatabase();
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Durable, Transactions);
        DataSet data = new(workload.Items, seed: 1);
        StorageEnvironment environment = StorageEnvironment.Open(_killed, Never);
        for (int transaction = 0; transaction < Transactions; transaction++)
        {
            Fill.RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }

        environment.Database.Abandon();
    }

    /// <summary>Removes the files.</summary>
    [GlobalCleanup]
    public void RemoveFiles() => _workspace.Dispose();

    /// <summary>An open changes what it finds, so each has a copy of its own.</summary>
    [IterationSetup]
    public void Copy()
    {
        _copy = _workspace.NextDatabase();
        foreach (string file in Directory.GetFiles(_killed, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(_copy, Path.GetRelativePath(_killed, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }

    /// <summary>Removes the copy.</summary>
    [IterationCleanup]
    public void RemoveCopy() => Workspace.Remove(_copy);

    /// <summary>Opens, recovers, and looks whether all transactions are there; closes.</summary>
    [Benchmark(OperationsPerInvoke = Mebibytes)]
    public void Recover()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_copy, Never);
        if (environment.GetReport().LastTransactionId < Transactions)
        {
            throw new VerificationException("recovery lost transactions.");
        }
    }
}
