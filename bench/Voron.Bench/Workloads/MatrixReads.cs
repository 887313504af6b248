using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Workloads;

/// <summary>The rows of the matrix of 2013 that read. Each thread reads other keys in an order of its own.</summary>
internal static class MatrixReads
{
    private const int ItemsPerBatch = 100;
    private static readonly int[] ThreadCounts = [1, 2, 4, 8, 16];

    internal static List<Row> Measure(BenchRun run, int items)
    {
        DataSet data = run.Data(items);
        string folder = run.Workspace.NextDatabase();
        Fill(folder, data, CommitMode.Buffered).Dispose();
        List<Contender> fresh =
        [
            Of("fill batch read batch", () => InBatches(run, data)),
            Of("fill seq none then read parallel 4", () => FillThenRead(run, data)),
        ];
        int rounds = run.Arguments.Rounds;
        List<Row> rows;
        using (OurStore store = new(folder))
        {
            List<Contender> reads =
            [
                Of("read seq", () => Time(() => Demands.Whole("read seq", store.Scan(), data))),
                .. ThreadCounts.Select(threads =>
                {
                    Questions[] questions = PartsOf(data, threads);
                    return Of($"read parallel {threads}", () => Time(() => ReadKinds.GetInParallel(store, questions)));
                }),
            ];
            reads.ForEach(static read => read.Work());
            reads.ForEach(static read => read.Work());
            rows = new Contest(run, ProbeSize.None).Run(reads, rounds);
        }

        Workspace.Remove(folder);
        return [.. rows, .. new Contest(run, ProbeSize.Short).Run(fresh, rounds)];
    }

    private static Contender Of(string name, Func<Measured> work) => new(name, OurStore.Name, "none", "CommitMode.Lazy", work);

    private static Measured Time(Func<long> work)
    {
        using Meter meter = new();
        meter.Stop(work());
        return meter.ToMeasured();
    }

    /// <summary>All items cut into as many parts as there are threads, each without order.</summary>
    private static Questions[] PartsOf(DataSet data, int threads)
    {
        int[] order = new RandomBytes(3).Permutation(data.Items);
        int each = data.Items / threads;
        return
        [
            .. Enumerable.Range(0, threads).Select(part =>
                new Questions(data, KeyOrder.Ascending, order.AsSpan(part * each, each), static item => item)),
        ];
    }

    private static OurStore Fill(string folder, DataSet data, CommitMode mode)
    {
        OurStore store = new(folder, mode);
        using IStoreWriter writer = store.OpenWriter();
        WorkloadRun.PutMany(writer, data, KeyOrder.Ascending, data.Items);
        return store;
    }

    private static Measured FillThenRead(BenchRun run, DataSet data)
    {
        string folder = run.Workspace.NextDatabase();
        Questions[] questions = PartsOf(data, 4);
        using Meter meter = new(run.Workspace.Root);
        OurStore store = Fill(folder, data, CommitMode.Lazy);
        meter.Stop(data.Items + ReadKinds.GetInParallel(store, questions));
        meter.Close(store);
        Workspace.Remove(folder);
        return meter.ToMeasured();
    }

    /// <summary>A batch is put, then read again.</summary>
    private static Measured InBatches(BenchRun run, DataSet data)
    {
        string folder = run.Workspace.NextDatabase();
        int batches = Math.Max(1, data.Items / ItemsPerBatch / 10);
        Questions[] questions =
        [
            .. Enumerable.Range(0, batches).Select(batch => new Questions(
                data, KeyOrder.Random, [.. Enumerable.Range(batch * ItemsPerBatch, ItemsPerBatch)], static item => item)),
        ];
        OurStore store = new(folder, CommitMode.Lazy);
        using IStoreWriter writer = store.OpenWriter();
        using Meter meter = new(run.Workspace.Root);
        long items = 0;
        foreach (Questions batch in questions)
        {
            writer.Begin();
            for (int place = 0; place < ItemsPerBatch; place++)
            {
                int item = (int)(items / 2) + place;
                writer.Put(data.Key(KeyOrder.Random, item), data.Value(item));
            }

            writer.Commit();
            items += ItemsPerBatch + Demands.Count("read batch", store.Get(batch), ItemsPerBatch);
        }

        meter.Stop(items);
        meter.Close(store);
        Workspace.Remove(folder);
        return meter.ToMeasured();
    }
}
