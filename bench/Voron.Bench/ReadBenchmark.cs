using System.Diagnostics.CodeAnalysis;
using BenchmarkDotNet.Attributes;
using Voron.Storage;

namespace Voron.Bench;

/// <summary>
/// Single reads and cursor steps in a database of 1,000,000 random keys; an operation is one key, one step or one position.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The global clean-up does; BenchmarkDotNet disposes of nothing.")]
[Config(typeof(MicroConfig))]
[MemoryDiagnoser]
public class ReadBenchmark
{
    private const int Items = 1_000_000;
    private const int KeysAtOnce = 8;
    private const int Steps = 10_000;

    private StorageEnvironment _environment = null!;
    private ReadTransaction _transaction;
    private Questions _questions = null!;
    private ReadOnlyMemory<byte>[] _keys = [];
    private int _place;

    /// <summary>Fills a database in memory.</summary>
    [GlobalSetup]
    public void Fill()
    {
        DataSet data = new(Items, seed: 1);
        _environment = StorageEnvironment.OpenInMemory();
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Buffered, Items / FillWorkload.ItemsPerTransaction);
        for (int transaction = 0; transaction < workload.Transactions; transaction++)
        {
            Bench.Fill.RunTransaction(_environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }

        _questions = new Questions(data, new RandomBytes(2).Permutation(Items));
        _keys = _questions.ToMemory();
        _transaction = _environment.BeginRead();
    }

    /// <summary>Gives the memory back.</summary>
    [GlobalCleanup]
    public void Close()
    {
        _transaction.Dispose();
        _environment.Dispose();
    }

    /// <summary>One get of a random key.</summary>
    [Benchmark]
    public bool Get() => Bench.Fill.OpenTree(_transaction).TryGet(_questions.Key(NextPlace(1)), out _);

    /// <summary>Whether a random key exists.</summary>
    [Benchmark]
    public bool Contains() => Bench.Fill.OpenTree(_transaction).Contains(_questions.Key(NextPlace(1)));

    /// <summary>Eight gets at once.</summary>
    [Benchmark(OperationsPerInvoke = KeysAtOnce)]
    public int GetMany()
    {
        int met = 0;
        foreach (TreeLookup found in Bench.Fill.OpenTree(_transaction).GetMany(_keys.AsSpan(NextPlace(KeysAtOnce), KeysAtOnce)))
        {
            met += found.Exists ? 1 : 0;
        }

        return met;
    }

    /// <summary>Steps of a cursor forward.</summary>
    [Benchmark(OperationsPerInvoke = Steps)]
    public int MoveNext()
    {
        using Cursor cursor = Bench.Fill.OpenTree(_transaction).OpenCursor();
        int met = cursor.MoveFirst() ? 1 : 0;
        while (met < Steps && cursor.MoveNext())
        {
            met++;
        }

        return met;
    }

    /// <summary>Steps of a cursor backward.</summary>
    [Benchmark(OperationsPerInvoke = Steps)]
    public int MovePrevious()
    {
        using Cursor cursor = Bench.Fill.OpenTree(_transaction).OpenCursor();
        int met = cursor.MoveLast() ? 1 : 0;
        while (met < Steps && cursor.MovePrevious())
        {
            met++;
        }

        return met;
    }

    /// <summary>A cursor goes to a random key.</summary>
    [Benchmark]
    public bool Seek()
    {
        using Cursor cursor = Bench.Fill.OpenTree(_transaction).OpenCursor();
        return cursor.Seek(_questions.Key(NextPlace(1)));
    }

    private int NextPlace(int count)
    {
        _place = _place + (2 * count) > Items ? 0 : _place + count;
        return _place;
    }
}
