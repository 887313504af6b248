using System.Diagnostics;

namespace Voron.Bench.Fixed;

/// <summary>What one store did in one round; times are seconds.</summary>
/// <param name="Append">Of all entries in ascending order in one transaction, before its commit.</param>
/// <param name="AppendCommit">Of that commit, which is durable.</param>
/// <param name="AppendedBytes">Room of the tree that was appended.</param>
/// <param name="Gets">Of the gets in random order.</param>
/// <param name="Sum">Of one sum of all values, in blocks if the store has them.</param>
/// <param name="Steps">Of all values entry by entry.</param>
/// <param name="Put">Of all entries in random order in one transaction, before its commit.</param>
/// <param name="PutBytes">Room of the tree with entries that came in random order.</param>
/// <param name="ReadManaged">Managed bytes that the calling thread allocated during all those reads.</param>
internal sealed record FixedRound(
    double Append,
    double AppendCommit,
    long AppendedBytes,
    double Gets,
    double Sum,
    double Steps,
    double Put,
    long PutBytes,
    long ReadManaged)
{
    internal const int MostGets = 1_000_000;

    /// <summary>One sum is over in a millisecond.</summary>
    private const int Sums = 20;

    /// <summary>Entries that are read in a round, for each that is there.</summary>
    internal const int ReadsOfEntry = Sums + 2;

    /// <summary>Fills two new databases, one in order and one at random, and reads from the first.</summary>
    internal static FixedRound Run(IFixedStore appended, IFixedStore random, FixedData data)
    {
        GC.Collect();
        int gets = Math.Min(MostGets, data.Entries);
        appended.Begin();
        double append = Time(() => appended.Append(data));
        double appendCommit = Time(appended.Commit);
        long appendedBytes = appended.RoomBytes;

        // Read once before anything is timed: the first walk finds the pages of a mapped file one by one.
        Demands.Count("sum of values", appended.SumSteps(), data.Sum);
        Demands.Count("sum of values", appended.Sum(1), data.Sum);
        long right = 0;
        long sum = 0;
        long steps = 0;
        Action get = () => right = appended.CountRight(data, gets);
        Action add = () => sum = appended.Sum(Sums);
        Action step = () => steps = appended.SumSteps();
        long before = GC.GetAllocatedBytesForCurrentThread();
        double getSeconds = Time(get);
        double sumSeconds = Time(add) / Sums;
        double stepSeconds = Time(step);
        long managed = GC.GetAllocatedBytesForCurrentThread() - before;
        Demands.Count("gets", right, gets);
        Demands.Count("sums of values", sum, Sums * data.Sum);
        Demands.Count("sum of values", steps, data.Sum);

        random.Begin();
        double put = Time(() => random.Put(data, 0, data.Entries));
        random.Commit();
        Demands.Count("sum of values put at random", random.SumSteps(), data.Sum);
        return new FixedRound(
            append, appendCommit, appendedBytes, getSeconds, sumSeconds, stepSeconds, put, random.RoomBytes, managed);
    }

    /// <summary>Managed bytes that a thread allocates for the puts of a transaction: the median, since tables grow now and then.</summary>
    internal static double ManagedOfPuts(IFixedStore store, FixedData data, int puts)
    {
        List<double> managed = [];
        for (int first = 0; first + puts <= data.Entries && managed.Count < 200; first += puts)
        {
            store.Begin();
            long before = GC.GetAllocatedBytesForCurrentThread();
            store.Put(data, first, puts);
            managed.Add(GC.GetAllocatedBytesForCurrentThread() - before);
            store.Commit();
        }

        return Spread.Of(managed).Median;
    }

    internal static double Time(Action work)
    {
        long start = Stopwatch.GetTimestamp();
        work();
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }
}
