using System.Diagnostics;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>Reads from a database that was filled with random keys and reopened; and what gets, puts and commits allocate.</summary>
internal static class ReadsVerb
{
    private const int MaxPositions = 300_000;

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Durable, arguments.Transactions);
        DataSet data = new(workload.Items, arguments.Seed);
        string folder = workspace.NextDatabase();
        AnsiConsole.WriteLine($"filling with {workload.Items:N0} items");
        AllocationProbe allocations = FillCounting(folder, workload, data);
        Fill.Verify(folder, workload, data);

        List<Row> rows = MeasureBoth(folder, workspace, data, arguments);
        if (arguments.IsFull)
        {
            const int FullItems = 10_000_000;
            AnsiConsole.WriteLine($"filling with {FullItems:N0} items");
            DataSet large = new(FullItems, arguments.Seed);
            string full = workspace.NextDatabase();
            using (StorageEnvironment environment = StorageEnvironment.Open(full))
            {
                FillWorkload workloadInFull = new(KeyOrder.Random, CommitMode.Buffered, FullItems / FillWorkload.ItemsPerTransaction);
                for (int transaction = 0; transaction < workloadInFull.Transactions; transaction++)
                {
                    Fill.RunTransaction(environment, workloadInFull, large, transaction * FillWorkload.ItemsPerTransaction);
                }
            }

            rows.AddRange(MeasureBoth(full, workspace, large, arguments));
        }

        RowTable.WriteReads(rows);
        AnsiConsole.WriteLine(allocations.ToString());
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    /// <summary>The fill; its second half counts as steady state.</summary>
    private static AllocationProbe FillCounting(string folder, FillWorkload workload, DataSet data)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        int half = workload.Transactions / 2;
        for (int transaction = 0; transaction < half; transaction++)
        {
            Fill.RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }

        // What is counted must have run before, or the first calls' own start-up shows as theirs.
        new AllocationProbe().Run(environment, workload, data, 0, Math.Min(half, 10));
        AllocationProbe counted = new();
        counted.Run(environment, workload, data, half, workload.Transactions);
        return counted;
    }

    /// <summary>Ours and, where its library is on the machine, LMDB's with the same items, in turn.</summary>
    private static List<Row> MeasureBoth(string folder, Workspace workspace, DataSet data, Arguments arguments)
    {
        using OurStore ours = new(folder, options: new StorageOptions { CreateIfMissing = false });
        if (StoreKinds.Lmdb.InstallLine is { } line)
        {
            AnsiConsole.WriteLine($"lmdb: skipped, its library is not on this machine; {line}");
            return Measure(ours, null, data, arguments);
        }

        using IStore peer = StoreKinds.Lmdb.Open(workspace.NextDatabase());
        AnsiConsole.WriteLine($"filling lmdb with {data.Items:N0} items");
        using (IStoreWriter writer = peer.OpenWriter())
        {
            writer.Begin();
            for (int item = 0; item < data.Items; item++)
            {
                writer.Put(data.Key(KeyOrder.Random, item), data.Value(item));
            }

            writer.Commit();
        }

        return Measure(ours, peer, data, arguments);
    }

    private static List<Row> Measure(OurStore ours, IStore? peer, DataSet data, Arguments arguments)
    {
        RandomBytes random = new(arguments.Seed + 1);
        int[] order = random.Permutation(data.Items);
        Questions[] questions = [new(data, order), new(data, random.Permutation(data.Items))];
        Questions positions = new(data, order.AsSpan(0, Math.Min(data.Items, MaxPositions)));
        ReadOnlyMemory<byte>[] keys = questions[0].ToMemory();
        (string Name, string Engine, Func<long> Work)[] kinds =
        [
            .. ReadKinds.Of(ours, OurStore.Name, data, questions, positions),
            ("read rnd, 8 at once", OurStore.Name, () => Demands.Count("get of 8", ours.GetMany(questions[0], keys), keys.Length)),
            .. peer is null ? [] : ReadKinds.Of(peer, LmdbStore.Name, data, questions, positions),
        ];

        // The first million gets are several times slower, until they are compiled to the end and the file is in memory.
        AnsiConsole.WriteLine("warming up");
        foreach ((_, _, Func<long> work) in kinds)
        {
            WarmUp.Run(arguments, () => work());
        }

        List<(double Seconds, long Bytes)>[] rounds = [.. kinds.Select(_ => new List<(double, long)>())];
        long[] counts = new long[kinds.Length];
        for (int round = 1; round <= arguments.Rounds; round++)
        {
            for (int kind = 0; kind < kinds.Length; kind++)
            {
                long before = GC.GetTotalAllocatedBytes(precise: true);
                long start = Stopwatch.GetTimestamp();
                counts[kind] = kinds[kind].Work();
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                rounds[kind].Add((seconds, GC.GetTotalAllocatedBytes(precise: true) - before));
            }

            AnsiConsole.WriteLine($"round {round}/{arguments.Rounds}");
        }

        return
        [
            .. kinds.Select((kind, place) => Row.Timed(
                kind.Name, kind.Engine, "sync", counts[place], rounds[place].Select(static round => round.Seconds)) with
            {
                ManagedBytesPerItem = Spread.Of(rounds[place].Select(round => (double)round.Bytes / counts[place])).Median,
            }),
        ];
    }
}
