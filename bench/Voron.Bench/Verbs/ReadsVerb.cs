using System.Diagnostics;
using Spectre.Console;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>Reads from a database that was filled with random keys and reopened; and what gets, puts and commits allocate.</summary>
internal static class ReadsVerb
{
    private const int Threads = 2;
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

        Row[] rows;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { CreateIfMissing = false }))
        {
            rows = Measure(new ReadWork(environment, workload.Items), data, arguments);
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

    private static Row[] Measure(ReadWork work, DataSet data, Arguments arguments)
    {
        RandomBytes random = new(arguments.Seed + 1);
        int[] order = random.Permutation(data.Items);
        Questions[] questions = [new(data, order), new(data, random.Permutation(data.Items))];
        Questions positions = new(data, order.AsSpan(0, Math.Min(data.Items, MaxPositions)));
        (string Name, Func<long> Work)[] kinds =
        [
            ("read rnd, 1 thread", () => work.Get(questions[0])),
            ($"read rnd, {Threads} threads", () => GetInParallel(work, questions)),
            ("read seq, full scan", work.Scan),
            ("position + 10 items", () => work.Seek(positions)),
        ];

        // Twice unmeasured: the first million gets are several times slower, until they are compiled to the end and the file is in memory.
        AnsiConsole.WriteLine("warming up");
        foreach ((_, Func<long> warmUp) in kinds.Concat(kinds))
        {
            warmUp();
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

        return [.. kinds.Select((kind, place) => RowOf(kind.Name, counts[place], rounds[place]))];
    }

    private static long GetInParallel(ReadWork work, Questions[] questions)
    {
        long[] met = new long[questions.Length];
        Thread[] threads = [.. questions.Select((asked, place) => new Thread(() => met[place] = work.Get(asked)))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        return met.Sum();
    }

    private static Row RowOf(string name, long items, List<(double Seconds, long Bytes)> rounds)
    {
        Spread seconds = Spread.Of(rounds.Select(round => round.Seconds));
        return new Row
        {
            Name = name,
            Engine = "Voron.Storage",
            Mode = "sync",
            Items = items,
            Seconds = seconds.Median,
            SecondsMin = seconds.Min,
            SecondsMax = seconds.Max,
            Rounds = rounds.Count,
            ManagedBytesPerItem = Spread.Of(rounds.Select(round => (double)round.Bytes / items)).Median,
        };
    }
}
