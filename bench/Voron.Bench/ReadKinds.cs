using Voron.Bench.Peers;

namespace Voron.Bench;

/// <summary>The reads that every store can do, each of which demands what it must meet.</summary>
internal static class ReadKinds
{
    internal const string Scan = "read seq, full scan";
    internal const string Position = "position + 10 items";

    /// <summary>A work returns the number of items that it met.</summary>
    internal static (string Name, string Engine, Func<long> Work)[] Of(
        IStore store, string engine, DataSet data, Questions[] questions, Questions positions) =>
    [
        ("read rnd, 1 thread", engine, () => Demands.Count("random get", store.Get(questions[0]), questions[0].Count)),
        ($"read rnd, {questions.Length} threads", engine, () => GetInParallel(store, questions)),
        (Scan, engine, () => Demands.Whole("full scan", store.Scan(), data)),
        (Position, engine, () => Demands.Count("position", store.Seek(positions), positions.Count)),
    ];

    /// <summary>A thread for each part.</summary>
    internal static long GetInParallel(IStore store, Questions[] questions)
    {
        long met = 0;
        Threads.Run(questions.Length, place => Interlocked.Add(ref met, store.Get(questions[place])));
        return Demands.Count("parallel get", met, questions.Sum(static asked => asked.Count));
    }
}
