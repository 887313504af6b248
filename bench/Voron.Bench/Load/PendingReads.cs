using System.Diagnostics;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Load;

/// <summary>Times gets and positions in a store of ours: while entries of its tree are pending, and when all of them are merged.</summary>
internal sealed class PendingReads
{
    private const int Asked = 500_000;
    private const int Rounds = 3;

    private readonly OurStore _store;
    private readonly Questions _questions;

    /// <param name="store">The store.</param>
    /// <param name="sequence">Its items.</param>
    /// <param name="made">How many puts were made.</param>
    internal PendingReads(OurStore store, ItemSequence sequence, int made)
    {
        _store = store;
        int[] numbers = sequence.Sample(made, Asked);
        _questions = new Questions(sequence.Keep(numbers, made), new RandomBytes(7).Permutation(numbers.Length));
    }

    internal ReadFigures Measure()
    {
        ReadTimes pending;
        long bytes;

        // While a transaction is open nothing is merged.
        using (_store.Environment.BeginWrite())
        {
            bytes = _store.PendingBytes;
            pending = Time();
        }

        _store.AwaitMerged();
        return new ReadFigures(bytes, pending, _store.PendingBytes, Time());
    }

    private ReadTimes Time()
    {
        // The first round reads what is in no cache yet.
        double[] gets = [.. Enumerable.Range(0, Rounds).Select(_ => Nanoseconds(_store.Get)).Skip(1)];
        double[] positions = [.. Enumerable.Range(0, Rounds).Select(_ => Nanoseconds(_store.Seek)).Skip(1)];
        return new ReadTimes(gets.Min(), positions.Min());
    }

    private double Nanoseconds(Func<Questions, long> read)
    {
        long start = Stopwatch.GetTimestamp();
        Demands.Count("reads beside what is pending", read(_questions), _questions.Count);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / _questions.Count;
    }
}
