namespace Voron.Storage.Tests;

/// <summary>Counts the managed bytes that work costs on this thread.</summary>
internal static class Allocations
{
    /// <summary>
    /// The bytes of the cheapest of some rounds. What an operation allocates shows in every round; lists that reach their size show in
    /// the first ones, and a collection that another test causes blurs the count of the round in which it happens.
    /// </summary>
    internal static long Least(Action round, int rounds = 5)
    {
        long least = long.MaxValue;
        for (int i = 0; i < rounds; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            round();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
