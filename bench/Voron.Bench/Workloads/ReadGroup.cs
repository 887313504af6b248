using System.Diagnostics;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Workloads;

/// <summary>Reads of all engines from a database that was filled without order, closed and opened again; and the opening itself.</summary>
internal static class ReadGroup
{
    private const int FullItems = 1_000_000;
    private const int MostPositions = 300_000;
    private const int ReaderThreads = 2;

    internal static List<Row> Measure(BenchRun run)
    {
        DataSet data = run.Data(run.Scaled(FullItems, 1_000));
        List<(StoreKind Kind, string Folder)> filled = [];
        List<Row> skipped = [];
        foreach (StoreKind kind in StoreKinds.Readers.Where(kind => run.Arguments.WantsEngine(kind.Name)))
        {
            if (kind.InstallLine is { } line)
            {
                AnsiConsole.WriteLine($"{kind.Name}: skipped; {line}");
                skipped.Add(Row.Skipped("reads", kind.Name, "sync", line));
                continue;
            }

            AnsiConsole.WriteLine($"filling {kind.Name} with {data.Items:N0} items");
            string folder = run.Workspace.NextDatabase();
            using (IStore store = kind.Open(folder))
            {
                using IStoreWriter writer = store.OpenWriter();
                WorkloadRun.PutMany(writer, data, KeyOrder.Random, data.Items);
            }

            filled.Add((kind, folder));
        }

        int rounds = run.Arguments.WantedRounds ?? 3;
        List<Row> rows = MeasureOpen(run, filled, data, rounds);
        rows.AddRange(MeasureReads(run, filled, data, rounds));
        filled.ForEach(static entry => Workspace.Remove(entry.Folder));
        return [.. rows, .. skipped];
    }

    private static List<Row> MeasureOpen(BenchRun run, List<(StoreKind Kind, string Folder)> filled, DataSet data, int rounds)
    {
        Questions first = new(data, [0]);
        return new Contest(run, ProbeSize.Short).Run(
            [.. filled.Select(entry => new Contender(
                "reopen and one get", entry.Kind.Name, "sync", entry.Kind.Durability, () =>
                {
                    using Meter meter = new(entry.Folder);
                    IStore store = entry.Kind.Open(entry.Folder);
                    Demands.Count("get after opening", store.Get(first), 1);
                    meter.Stop(1);
                    meter.Close(store);
                    return meter.ToMeasured();
                })
                {
                    Version = entry.Kind.Version,
                })],
            rounds);
    }

    private static List<Row> MeasureReads(BenchRun run, List<(StoreKind Kind, string Folder)> filled, DataSet data, int rounds)
    {
        RandomBytes random = new(run.Arguments.Seed + 1);
        int[] order = random.Permutation(data.Items);
        Questions[] questions = [.. Enumerable.Range(0, ReaderThreads).Select(_ => new Questions(data, random.Permutation(data.Items)))];
        Questions positions = new(data, order.AsSpan(0, Math.Min(data.Items, MostPositions)));
        List<IStore> stores = [.. filled.Select(static entry => entry.Kind.Open(entry.Folder))];
        try
        {
            List<Contender> contenders =
            [
                .. stores
                    .SelectMany((store, place) => ReadKinds.Of(store, filled[place].Kind.Name, data, questions, positions)
                        .Where(kind => filled[place].Kind.IsOrdered || kind.Name is not (ReadKinds.Scan or ReadKinds.Position))
                        .Select(kind => new Contender(
                            kind.Name, kind.Engine, "sync", filled[place].Kind.Durability, () => Time(kind.Work))
                        {
                            Version = filled[place].Kind.Version,
                        }))
                    .OrderBy(static contender => contender.Name, StringComparer.Ordinal),
            ];

            // The first gets are several times slower, until the file is in memory and ours are compiled to the end.
            AnsiConsole.WriteLine("warming up");
            contenders.ForEach(static contender => contender.Work());
            foreach (Contender ours in contenders.Where(static contender => contender.Engine == OurStore.Name))
            {
                WarmUp.Run(run.Arguments, () => ours.Work());
            }

            return new Contest(run, ProbeSize.None).Run(contenders, rounds);
        }
        finally
        {
            stores.ForEach(static store => store.Dispose());
        }
    }

    private static Measured Time(Func<long> work)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        long start = Stopwatch.GetTimestamp();
        long items = work();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return new Measured(seconds, items) { ManagedBytes = GC.GetTotalAllocatedBytes(precise: true) - before };
    }
}
