using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Bench;

/// <summary>
/// The parts that everything else is made of: the search in one node (gets from a tree that is a single leaf, so that nothing else of a
/// get is more than a few instructions), the checksum of a page, and the whole check.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The global clean-up does; BenchmarkDotNet disposes of nothing.")]
[Config(typeof(MicroConfig))]
[MemoryDiagnoser]
public class NodeBenchmark
{
    private const int ItemsOfLeaf = 48;
    private const int CheckedItems = 100_000;
    private const int PageBytes = 8192;

    private DataSet _data = null!;
    private Workspace _workspace = null!;
    private StorageEnvironment _leaf = null!;
    private StorageEnvironment _whole = null!;
    private ReadTransaction _transaction;
    private readonly byte[] _page = new byte[PageBytes];
    private int _item;

    /// <summary>A leaf in memory, and a database on files for the check.</summary>
    [GlobalSetup]
    public void Fill()
    {
        _data = new DataSet(CheckedItems, seed: 1);
        new RandomBytes(2).Fill(_page);
        _workspace = new Workspace(parent: null);
        _leaf = StorageEnvironment.OpenInMemory();
        Put(_leaf, ItemsOfLeaf);
        _transaction = _leaf.BeginRead();
        _whole = StorageEnvironment.Open(_workspace.NextDatabase());
        Put(_whole, CheckedItems);
        _whole.Checkpoint();
    }

    /// <summary>Gives memory and files back.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _transaction.Dispose();
        _leaf.Dispose();
        _whole.Dispose();
        _workspace.Dispose();
    }

    /// <summary>A key of a single leaf.</summary>
    [Benchmark]
    public bool SearchInLeaf()
    {
        _item = _item + 1 == ItemsOfLeaf ? 0 : _item + 1;
        return Bench.Fill.OpenTree(_transaction).TryGet(_data.Key(KeyOrder.Random, _item), out _);
    }

    /// <summary>The checksum of 8 KiB.</summary>
    [Benchmark]
    public ulong ChecksumOfPage() => Checksum.Compute(_page);

    /// <summary>The whole check of 100,000 items; an operation is an item.</summary>
    [Benchmark(OperationsPerInvoke = CheckedItems)]
    public bool CheckAll() => _whole.Check().IsClean;

    private void Put(StorageEnvironment environment, int items)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = Bench.Fill.OpenTree(transaction);
        for (int item = 0; item < items; item++)
        {
            tree.Put(_data.Key(KeyOrder.Random, item), _data.Value(item));
        }

        transaction.Commit();
    }
}
