using System.Diagnostics;

namespace Voron.Bench.Multi;

/// <summary>What one store did in one round with the pairs of one shape. Seconds of work that it cannot do are 0.</summary>
/// <param name="Adds">Of all pairs in one transaction, which is durable at the end.</param>
/// <param name="RoomBytes">Of all pairs.</param>
/// <param name="Contains">Of the lookups.</param>
/// <param name="Blocks">Of all values, key by key, in blocks.</param>
/// <param name="Values">Of all values, key by key.</param>
/// <param name="Pairs">Of all pairs in order.</param>
/// <param name="ManagedBytes">Allocated by the calling thread during the reads.</param>
internal sealed record MultiRound(
    double Adds, long RoomBytes, double Contains, double Blocks, double Values, double Pairs, long ManagedBytes)
{
    internal const int MostLookups = 300_000;

    /// <summary>Fills a new database and reads from it.</summary>
    internal static MultiRound Run(IMultiStore store, PairData data)
    {
        GC.Collect();
        int lookups = Math.Min(MostLookups, data.Pairs);
        double adds = Time(() => Add(store, data), data.Pairs);
        long room = store.RoomBytes;

        Func<long> countContained = () => store.CountContained(data, lookups);
        Func<long> readBlocks = () => store.ReadBlocks(data);
        Func<long> readValues = () => store.ReadValues(data);
        Func<long> readPairs = store.ReadPairs;

        // Read once before anything is timed: the first walk finds the pages of a mapped file one by one.
        Demands.Count("pairs", readPairs(), data.Pairs);
        long before = GC.GetAllocatedBytesForCurrentThread();
        double contains = Time(countContained, lookups);
        double blocks = store.HasBlocks ? Time(readBlocks, data.Pairs) : 0;
        double values = Time(readValues, data.Pairs);
        double pairs = Time(readPairs, data.Pairs);
        return new MultiRound(
            adds, room, contains, blocks, values, pairs, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    /// <summary>Adds all pairs in durable transactions of a number of adds, until the time is over.</summary>
    internal static MultiTransactions RunShort(IMultiStore store, PairData data, int adds, double cap)
    {
        int transactions = data.Pairs / adds;
        double[] managed = new double[transactions];
        long start = Stopwatch.GetTimestamp();
        int done = 0;
        for (; done < transactions && Stopwatch.GetElapsedTime(start).TotalSeconds < cap; done++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            store.Begin();
            for (int pair = done * adds; pair < (done + 1) * adds; pair++)
            {
                store.Add(data.KeyOf(pair), data.ValueOf(pair));
            }

            store.Commit();
            managed[done] = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return new MultiTransactions(done, seconds, Spread.Of(managed.Take(done)).Median);
    }

    private static long Add(IMultiStore store, PairData data)
    {
        store.Begin();
        for (int pair = 0; pair < data.Pairs; pair++)
        {
            store.Add(data.KeyOf(pair), data.ValueOf(pair));
        }

        store.Commit();
        return data.Pairs;
    }

    private static double Time(Func<long> work, long expected)
    {
        long start = Stopwatch.GetTimestamp();
        long count = work();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        Demands.Count("pairs", count, expected);
        return seconds;
    }
}
