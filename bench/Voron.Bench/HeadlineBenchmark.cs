using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>
/// The headline for those who look for it in BenchmarkDotNet: 10,000 transactions of 100 puts, one caller, an operation being
/// one put. It knows no raw limit; the verb <c>headline</c> does, and its figures are the ones to quote.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The global clean-up does; BenchmarkDotNet disposes of nothing.")]
[Config(typeof(HeadlineConfig))]
[MemoryDiagnoser]
public class HeadlineBenchmark
{
    private const int Transactions = 10_000;

    private DataSet _data = null!;
    private Workspace _workspace = null!;
    private StorageEnvironment _environment = null!;
    private FillWorkload _workload = null!;
    private string _folder = string.Empty;

    /// <summary>Durable is sync in the words of 2013, Buffered is buff.</summary>
    [Params(CommitMode.Durable, CommitMode.Buffered)]
    public CommitMode Mode { get; set; }

    /// <summary>Makes keys and values.</summary>
    [GlobalSetup]
    public void MakeData()
    {
        _workload = new FillWorkload(KeyOrder.Random, Mode, Transactions);
        _data = new DataSet(_workload.Items, seed: 1);
        _workspace = new Workspace(parent: null);
    }

    /// <summary>Removes the files.</summary>
    [GlobalCleanup]
    public void RemoveFiles() => _workspace.Dispose();

    /// <summary>Opens an empty database.</summary>
    [IterationSetup]
    public void Open()
    {
        _folder = _workspace.NextDatabase();
        _environment = StorageEnvironment.Open(_folder);
    }

    /// <summary>Closes the database, compares it with what was written and removes it.</summary>
    [IterationCleanup]
    public void Close()
    {
        EnvironmentReport report = _environment.GetReport();
        BytesPerCommitColumn.Note(Mode.ToString(), report.JournalBytesWritten / (double)Math.Max(1, report.Commits));
        _environment.Dispose();
        Fill.Verify(_folder, _workload, _data);
        Workspace.Remove(_folder);
    }

    /// <summary>The fill.</summary>
    [Benchmark(OperationsPerInvoke = Transactions * FillWorkload.ItemsPerTransaction)]
    public void FillRandom()
    {
        for (int transaction = 0; transaction < Transactions; transaction++)
        {
            Fill.RunTransaction(_environment, _workload, _data, transaction * FillWorkload.ItemsPerTransaction);
        }
    }
}
