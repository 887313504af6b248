using System.Runtime.InteropServices;
using Voron.Storage;

namespace Voron.Bench.Fixed;

/// <summary>A fixed-size tree.</summary>
internal sealed class FixedTreeStore(string folder) : IFixedStore
{
    private const string TreeName = "numbers";

    /// <summary>Entries that come together.</summary>
    private const int EntriesOfAppend = 1_000;

    private WriteTransaction _write;
    private FixedTree<long> _tree;

    internal StorageEnvironment Environment { get; } = StorageEnvironment.Open(folder);

    public long RoomBytes
    {
        get
        {
            using ReadTransaction read = Environment.BeginRead();
            return read.OpenFixedTree<long>(TreeName).GetReport().AllocatedBytes;
        }
    }

    public void Begin()
    {
        _write = Environment.BeginWrite();
        _tree = _write.OpenFixedTree<long>(TreeName, sizeof(long));
    }

    public void Append(FixedData data)
    {
        for (int first = 0; first < data.Entries; first += EntriesOfAppend)
        {
            int count = Math.Min(EntriesOfAppend, data.Entries - first);
            _tree.Append(data.Keys.AsSpan(first, count), MemoryMarshal.AsBytes(data.Values.AsSpan(first, count)));
        }
    }

    public void Put(FixedData data, int first, int count)
    {
        for (int entry = first; entry < first + count; entry++)
        {
            _tree.Put(data.RandomKeys[entry], MemoryMarshal.AsBytes(data.RandomValues.AsSpan(entry, 1)));
        }
    }

    public void Commit()
    {
        _write.Commit();
        _write.Dispose();
    }

    /// <summary>Deletes the older half of the entries in a transaction and returns their number.</summary>
    internal long DeleteHalf(FixedData data)
    {
        Begin();
        long deleted = _tree.DeleteRange(long.MinValue, data.Keys[data.Entries / 2]);
        Commit();
        return deleted;
    }

    public long CountRight(FixedData data, int gets)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadFixedTree<long> tree = read.OpenFixedTree<long>(TreeName);
        long right = 0;
        for (int entry = 0; entry < gets; entry++)
        {
            bool isThere = tree.TryGet(data.RandomKeys[entry], out ReadOnlySpan<byte> value);
            right += isThere && MemoryMarshal.Read<long>(value) == data.RandomValues[entry] ? 1 : 0;
        }

        return right;
    }

    public long Sum(int times)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadFixedTree<long> tree = read.OpenFixedTree<long>(TreeName);
        long sum = 0;
        for (int time = 0; time < times; time++)
        {
            foreach (FixedBlock<long> block in tree.Blocks())
            {
                sum += ColumnSum.Of(block.Values<long>());
            }
        }

        return sum;
    }

    public long SumSteps()
    {
        using ReadTransaction read = Environment.BeginRead();
        long sum = 0;
        foreach ((long _, ReadOnlySpan<byte> value) in read.OpenFixedTree<long>(TreeName))
        {
            sum += MemoryMarshal.Read<long>(value);
        }

        return sum;
    }

    public void Dispose() => Environment.Dispose();
}
