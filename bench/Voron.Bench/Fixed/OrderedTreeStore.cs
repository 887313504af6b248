using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Voron.Storage;

namespace Voron.Bench.Fixed;

/// <summary>An ordered tree with the numbers as big-endian keys.</summary>
internal sealed class OrderedTreeStore(string folder) : IFixedStore
{
    private const string TreeName = "numbers";

    private WriteTransaction _write;
    private Tree _tree;

    private StorageEnvironment Environment { get; } = StorageEnvironment.Open(folder);

    public long RoomBytes
    {
        get
        {
            using ReadTransaction read = Environment.BeginRead();
            return read.OpenTree(TreeName).GetReport().AllocatedBytes;
        }
    }

    public void Begin()
    {
        _write = Environment.BeginWrite();
        _tree = _write.OpenTree(TreeName);
    }

    public void Append(FixedData data)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        for (int entry = 0; entry < data.Entries; entry++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, data.Keys[entry]);
            _tree.Append(key, MemoryMarshal.AsBytes(data.Values.AsSpan(entry, 1)));
        }
    }

    public void Put(FixedData data, int first, int count)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        for (int entry = first; entry < first + count; entry++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, data.RandomKeys[entry]);
            _tree.Put(key, MemoryMarshal.AsBytes(data.RandomValues.AsSpan(entry, 1)));
        }
    }

    public void Commit()
    {
        _write.Commit();
        _write.Dispose();
    }

    public long CountRight(FixedData data, int gets)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadTree tree = read.OpenTree(TreeName);
        Span<byte> key = stackalloc byte[sizeof(long)];
        long right = 0;
        for (int entry = 0; entry < gets; entry++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, data.RandomKeys[entry]);
            bool isThere = tree.TryGet(key, out ReadOnlySpan<byte> value);
            right += isThere && MemoryMarshal.Read<long>(value) == data.RandomValues[entry] ? 1 : 0;
        }

        return right;
    }

    public long Sum(int times)
    {
        long sum = 0;
        for (int time = 0; time < times; time++)
        {
            sum += SumSteps();
        }

        return sum;
    }

    public long SumSteps()
    {
        using ReadTransaction read = Environment.BeginRead();
        long sum = 0;
        foreach ((ReadOnlySpan<byte> _, ReadOnlySpan<byte> value) in read.OpenTree(TreeName))
        {
            sum += MemoryMarshal.Read<long>(value);
        }

        return sum;
    }

    public void Dispose() => Environment.Dispose();
}
