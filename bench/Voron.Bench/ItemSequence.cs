using Voron.Bench.Peers;

namespace Voron.Bench;

/// <summary>
/// Items of random keys that are made when they are put, each from its number: a fill of any length needs no memory for them, so what the
/// process takes is the store's, and any of them can be made again to be compared.
/// </summary>
/// <param name="seed">Seed of keys and values.</param>
/// <param name="load">What the puts are like.</param>
/// <param name="puts">The number of puts of the whole load; not needed for a fill.</param>
internal sealed class ItemSequence(ulong seed, PutLoad load = PutLoad.Fill, int puts = 0)
{
    private const int SampledItems = 1_000;

    /// <summary>The generator makes words of 8 bytes; a value of 100 leaves a part of the last one unused.</summary>
    private const int WordsPerItem = (DataSet.KeyBytes + DataSet.ValueBytes + sizeof(ulong) - 1) / sizeof(ulong);

    private readonly byte[] _item = GC.AllocateArray<byte>(WordsPerItem * sizeof(ulong), pinned: true);
    private readonly int _half = puts / 2;

    private Span<byte> Key => _item.AsSpan(0, DataSet.KeyBytes);

    private Span<byte> Value => _item.AsSpan(DataSet.KeyBytes, DataSet.ValueBytes);

    /// <summary>One transaction of the puts from one of them on, and the deletions that follow them.</summary>
    internal void Put(IStoreWriter writer, int first, int count)
    {
        writer.Begin();
        for (int put = first; put < first + count; put++)
        {
            bool isUpdate = load == PutLoad.Updates && put >= _half && put < 2 * _half;
            Make(isUpdate ? put - _half : put, isUpdate);
            writer.Put(Key, Value);
            if (load == PutLoad.Deletes && put >= _half && IsDeleted(put - _half))
            {
                Make(put - _half, isUpdated: false);
                writer.Delete(Key);
            }
        }

        writer.Commit();
    }

    /// <summary>Some of the items as they were put first, kept in memory.</summary>
    internal DataSet Keep(ReadOnlySpan<int> numbers) => Keep(numbers, made: 0);

    /// <summary>The same as they are after a number of puts.</summary>
    internal DataSet Keep(ReadOnlySpan<int> numbers, int made)
    {
        byte[] keys = GC.AllocateUninitializedArray<byte>(numbers.Length * DataSet.KeyBytes, pinned: true);
        byte[] values = GC.AllocateUninitializedArray<byte>(numbers.Length * DataSet.ValueBytes, pinned: true);
        for (int place = 0; place < numbers.Length; place++)
        {
            Make(numbers[place], isUpdated: load == PutLoad.Updates && numbers[place] < Math.Min(made - _half, _half));
            Key.CopyTo(keys.AsSpan(place * DataSet.KeyBytes));
            Value.CopyTo(values.AsSpan(place * DataSet.ValueBytes));
        }

        return new DataSet(keys, values);
    }

    /// <summary>How many items there are after a number of puts.</summary>
    internal int Count(int made)
    {
        int late = Math.Clamp(made - _half, 0, _half);
        return load switch
        {
            PutLoad.Updates => made - late,
            PutLoad.Deletes => made - ((late + 1) / 2),
            _ => made,
        };
    }

    /// <summary>Numbers of items that are there after a number of puts, spread over all of them.</summary>
    internal int[] Sample(int made, int most)
    {
        int numbers = load == PutLoad.Updates ? Count(made) : made;
        return
        [
            .. Enumerable.Range(0, Math.Min(numbers, most))
                .Select(place => numbers <= most ? place : (int)((long)place * (numbers - 1) / (most - 1)))
                .Where(number => load != PutLoad.Deletes || number >= made - _half || !IsDeleted(number)),
        ];
    }

    /// <summary>
    /// A store has exactly the items that are there after a number of puts: as many, as many bytes, and the values of some of them, the
    /// last one included, since it is what a torn end would lose.
    /// </summary>
    internal void Demand(string what, IStore store, int made)
    {
        ScanResult met = store.Scan();
        int items = Count(made);
        Demands.Count(what, met.Entries, items);
        Demands.Count($"{what}, bytes", met.Bytes, (long)items * (DataSet.KeyBytes + DataSet.ValueBytes));
        int[] numbers = Sample(made, SampledItems);
        if (numbers.Length > 0)
        {
            Questions sampled = new(Keep(numbers, made), [.. Enumerable.Range(0, numbers.Length)]);
            Demands.Count($"{what}, sampled", store.Match(sampled), sampled.Count);
        }
    }

    private static bool IsDeleted(int number) => number % 2 == 0;

    /// <summary>Makes an item; an updated one has the key of the first one and another value.</summary>
    private void Make(int number, bool isUpdated)
    {
        SourceOf(number, seed).Fill(_item);
        if (load == PutLoad.Skewed && number % 10 != 0)
        {
            Key[0] &= 0x0F;
        }

        if (isUpdated)
        {
            // The source of the other seed has other words at the same places.
            RandomBytes other = SourceOf(number, ~seed);
            other.Fill(_item.AsSpan(DataSet.KeyBytes));
        }
    }

    private static RandomBytes SourceOf(int number, ulong seed) => new RandomBytes(seed).After((long)number * WordsPerItem);
}
