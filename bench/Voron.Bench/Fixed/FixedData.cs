namespace Voron.Bench.Fixed;

/// <summary>
/// Entries like those of a time series, made before anything is timed: ascending numbers with gaps as keys, numbers as values, 8 bytes
/// each. Nothing of it moves in memory.
/// </summary>
internal sealed class FixedData
{
    internal const int EntryBytes = 2 * sizeof(long);

    private const int MostGap = 1_000;
    private const int MostValue = 1_000_000_000;

    internal FixedData(int entries, ulong seed)
    {
        RandomBytes random = new(seed);
        Keys = GC.AllocateUninitializedArray<long>(entries, pinned: true);
        Values = GC.AllocateUninitializedArray<long>(entries, pinned: true);
        long key = 0;
        for (int entry = 0; entry < entries; entry++)
        {
            key += 1 + random.Below(MostGap);
            Keys[entry] = key;
            Values[entry] = random.Below(MostValue);
            Sum += Values[entry];
        }

        int[] order = random.Permutation(entries);
        RandomKeys = GC.AllocateUninitializedArray<long>(entries, pinned: true);
        RandomValues = GC.AllocateUninitializedArray<long>(entries, pinned: true);
        for (int place = 0; place < entries; place++)
        {
            RandomKeys[place] = Keys[order[place]];
            RandomValues[place] = Values[order[place]];
        }
    }

    internal int Entries => Keys.Length;

    internal long[] Keys { get; }

    internal long[] Values { get; }

    /// <summary>The sum of all values.</summary>
    internal long Sum { get; }

    /// <summary>The keys in random order, so that no cache is missed for finding what is to be looked up.</summary>
    internal long[] RandomKeys { get; }

    /// <summary>The values in the same order.</summary>
    internal long[] RandomValues { get; }
}
