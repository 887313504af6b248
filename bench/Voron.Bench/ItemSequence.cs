using Voron.Bench.Peers;

namespace Voron.Bench;

/// <summary>
/// Items of random keys that are made when they are put, each from its number: a fill of any length needs no memory for them, so what the
/// process takes is the store's, and any of them can be made again to be compared.
/// </summary>
internal sealed class ItemSequence(ulong seed)
{
    private const int SampledItems = 1_000;

    /// <summary>The generator makes words of 8 bytes; a value of 100 leaves a part of the last one unused.</summary>
    private const int WordsPerItem = (DataSet.KeyBytes + DataSet.ValueBytes + sizeof(ulong) - 1) / sizeof(ulong);

    private readonly byte[] _item = GC.AllocateArray<byte>(WordsPerItem * sizeof(ulong), pinned: true);

    private Span<byte> Key => _item.AsSpan(0, DataSet.KeyBytes);

    private Span<byte> Value => _item.AsSpan(DataSet.KeyBytes, DataSet.ValueBytes);

    /// <summary>One transaction of the items from one of them on.</summary>
    internal void Put(IStoreWriter writer, int first, int count)
    {
        RandomBytes random = SourceOf(first);
        writer.Begin();
        for (int item = 0; item < count; item++)
        {
            random.Fill(_item);
            writer.Put(Key, Value);
        }

        writer.Commit();
    }

    /// <summary>Some of the items, kept in memory.</summary>
    internal DataSet Keep(ReadOnlySpan<int> numbers)
    {
        byte[] keys = GC.AllocateUninitializedArray<byte>(numbers.Length * DataSet.KeyBytes, pinned: true);
        byte[] values = GC.AllocateUninitializedArray<byte>(numbers.Length * DataSet.ValueBytes, pinned: true);
        for (int place = 0; place < numbers.Length; place++)
        {
            SourceOf(numbers[place]).Fill(_item);
            Key.CopyTo(keys.AsSpan(place * DataSet.KeyBytes));
            Value.CopyTo(values.AsSpan(place * DataSet.ValueBytes));
        }

        return new DataSet(keys, values);
    }

    /// <summary>A store has exactly the items before this one: as many, as many bytes, and the values of some of them.</summary>
    internal void Demand(string what, IStore store, int items)
    {
        ScanResult met = store.Scan();
        Demands.Count(what, met.Entries, items);
        Demands.Count($"{what}, bytes", met.Bytes, (long)items * (DataSet.KeyBytes + DataSet.ValueBytes));
        int[] numbers = [.. Enumerable.Range(0, Math.Min(items, SampledItems)).Select(sample => Spread(sample, items))];
        if (numbers.Length > 0)
        {
            Questions sampled = new(Keep(numbers), [.. Enumerable.Range(0, numbers.Length)]);
            Demands.Count($"{what}, sampled", store.Match(sampled), sampled.Count);
        }
    }

    /// <summary>From the first to the last item; the last one counts, since it is what a torn end would lose.</summary>
    private static int Spread(int sample, int items) =>
        items <= SampledItems ? sample : (int)((long)sample * (items - 1) / (SampledItems - 1));

    private RandomBytes SourceOf(int item) => new RandomBytes(seed).After((long)item * WordsPerItem);
}
