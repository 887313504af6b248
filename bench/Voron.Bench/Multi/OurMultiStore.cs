using Voron.Storage;

namespace Voron.Bench.Multi;

/// <summary>A multi-value tree with values of one length.</summary>
internal sealed class OurMultiStore(string folder, int valueBytes) : IMultiStore
{
    private const string TreeName = "pairs";

    private WriteTransaction _write;
    private MultiTree _tree;

    internal StorageEnvironment Environment { get; } = StorageEnvironment.Open(folder);

    public long RoomBytes
    {
        get
        {
            using ReadTransaction read = Environment.BeginRead();
            return read.OpenMultiTree(TreeName).GetReport().AllocatedBytes;
        }
    }

    public bool HasBlocks => true;

    public void Begin()
    {
        _write = Environment.BeginWrite();
        _tree = _write.OpenMultiTree(TreeName, valueBytes);
    }

    public void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _tree.Add(key, value);

    public void Commit()
    {
        _write.Commit();
        _write.Dispose();
    }

    public long CountContained(PairData data, int pairs)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree(TreeName);
        long found = 0;
        for (int pair = 0; pair < pairs; pair++)
        {
            found += tree.Contains(data.KeyOf(pair), data.ValueOf(pair)) ? 1 : 0;
        }

        return found;
    }

    public long ReadBlocks(PairData data)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree(TreeName);
        long count = 0;
        for (int key = 0; key < data.Keys; key++)
        {
            foreach (ValueBlock block in tree.Blocks(data.Key(key)))
            {
                count += block.Count;
            }
        }

        return count;
    }

    public long ReadValues(PairData data)
    {
        using ReadTransaction read = Environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree(TreeName);
        long bytes = 0;
        for (int key = 0; key < data.Keys; key++)
        {
            foreach (ReadOnlySpan<byte> value in tree.Values(data.Key(key)))
            {
                bytes += value.Length;
            }
        }

        return bytes / valueBytes;
    }

    public long ReadPairs()
    {
        using ReadTransaction read = Environment.BeginRead();
        long bytes = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in read.OpenMultiTree(TreeName))
        {
            bytes += key.Length + value.Length;
        }

        return bytes / (PairData.KeyBytes + valueBytes);
    }

    public void Dispose() => Environment.Dispose();
}
