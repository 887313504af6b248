using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>
/// Single puts, and transactions of one put with their commit, in a database in memory of 100,000 random keys: what the engine itself
/// takes, without a device.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The global clean-up does; BenchmarkDotNet disposes of nothing.")]
[Config(typeof(MicroConfig))]
[MemoryDiagnoser]
public class WriteBenchmark
{
    private const int Items = 100_000;
    private const int Puts = 10_000;

    private DataSet _data = null!;
    private StorageEnvironment _environment = null!;
    private int _item;

    /// <summary>Fills a database in memory.</summary>
    [GlobalSetup]
    public void Fill()
    {
        _data = new DataSet(Items, seed: 1);
        _environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = Bench.Fill.OpenTree(transaction);
        for (int item = 0; item < Items; item++)
        {
            tree.Put(_data.Key(KeyOrder.Random, item), _data.Value(item));
        }

        transaction.Commit();
    }

    /// <summary>Gives the memory back.</summary>
    [GlobalCleanup]
    public void Close() => _environment.Dispose();

    /// <summary>Puts over keys that are there, 10,000 in a transaction, which is rolled back.</summary>
    [Benchmark(OperationsPerInvoke = Puts)]
    public void Put()
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = Bench.Fill.OpenTree(transaction);
        for (int put = 0; put < Puts; put++)
        {
            int item = NextItem();
            tree.Put(_data.Key(KeyOrder.Random, item), _data.Value(Items - 1 - item));
        }
    }

    /// <summary>A transaction of one put, from begin to commit.</summary>
    [Benchmark]
    public void CommitOnePut()
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        int item = NextItem();
        Bench.Fill.OpenTree(transaction).Put(_data.Key(KeyOrder.Random, item), _data.Value(item));
        transaction.Commit();
    }

    /// <summary>A transaction of 100 puts, from begin to commit.</summary>
    [Benchmark]
    public void CommitHundredPuts()
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = Bench.Fill.OpenTree(transaction);
        for (int put = 0; put < FillWorkload.ItemsPerTransaction; put++)
        {
            int item = NextItem();
            tree.Put(_data.Key(KeyOrder.Random, item), _data.Value(item));
        }

        transaction.Commit();
    }

    private int NextItem() => _item = _item + 1 == Items ? 0 : _item + 1;
}
