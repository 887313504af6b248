using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Bench.Load;
using Voron.Bench.Measuring;
using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Verbs;

/// <summary>
/// What checkpoints cost: commits beside them, bytes to the device, commits in a large database, opening, memory, rest. Every figure is
/// printed with what it has to reach.
/// </summary>
internal static class CheckpointVerb
{
    private const int SmallTransactions = 1_000;
    private const int SmallWriteBytes = 4096;
    private const int LargeValueBytes = 1_000;
    private const int RestSeconds = 5;
    private const int TransactionsPerLook = 100;
    private const int TransactionsPerTurn = 100;

    /// <summary>
    /// The headline's own transactions are over before the first checkpoint begins; these have one from beginning to end.
    /// </summary>
    private const int LongerBy = 4;

    /// <summary>Checkpoints one after another.</summary>
    private static readonly StorageOptions Busy = new() { JournalSoftLimitBytes = 8 << 20 };

    internal static int Run(Arguments arguments)
    {
        if (KilledFill.IsWanted)
        {
            KilledFill.FillAndWait(arguments);
            return 0;
        }

        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Durable, arguments.Transactions);
        DataSet data = new(workload.Items, arguments.Seed);
        FillWorkload longer = workload with { Transactions = workload.Transactions * LongerBy };
        MeasureHeadline(workspace, longer, new DataSet(longer.Items, arguments.Seed), arguments);
        MeasureSizes(workspace, arguments);
        MeasureClean(workspace, workload, data);
        MeasureKilled(workspace, workload, data, arguments.Seed, isFilled: false);
        MeasureKilled(workspace, workload, data, arguments.Seed, isFilled: true);
        MeasureRest(workspace, workload, data);
        return 0;
    }

    /// <summary>The headline with default limits, with checkpoints all the time, and without any, in turn.</summary>
    private static void MeasureHeadline(Workspace workspace, FillWorkload workload, DataSet data, Arguments arguments)
    {
        (string Name, StorageOptions Options)[] kinds =
            [("without checkpoints", KilledFill.Options), ("default limits", new StorageOptions()), ("checkpoints all the time", Busy)];
        List<Figures>[] all = [.. kinds.Select(static _ => new List<Figures>())];
        List<double> memory = [];
        for (int round = -1; round < arguments.Rounds; round++)
        {
            for (int kind = 0; kind < kinds.Length; kind++)
            {
                using MemoryAtHand ready = new();
                if (!arguments.LeavesMemoryAsFound)
                {
                    ready.Take();
                    memory.Add(ready.MillisecondsPerMebibyte);
                }

                Figures figures = FillOnce(workspace.NextDatabase(), kinds[kind].Options, workload, data, ready);
                if (round >= 0)
                {
                    all[kind].Add(figures);
                }
            }
        }

        if (memory.Count > 0)
        {
            Print(
                "memory given back during each fill",
                string.Create(CultureInfo.InvariantCulture, $"{MemoryAtHand.Mebibytes,10:N0} MiB"),
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{memory[0]:F2} ms to take a MiB the first time, {Spread.Of(memory).Median:F2} in the median"));
        }

        double without = Median(all[0], static figures => figures.Seconds);
        for (int kind = 0; kind < kinds.Length; kind++)
        {
            PrintHeadline($"{workload.Name}, {kinds[kind].Name}", workload.Items, all[kind], without);
        }
    }

    private static void PrintHeadline(string name, int items, List<Figures> rounds, double secondsWithout)
    {
        double seconds = Median(rounds, static figures => figures.Seconds);
        double middle = Median(rounds, static figures => figures.P50);
        double tail = Median(rounds, static figures => figures.P99);
        Print(
            name,
            string.Create(CultureInfo.InvariantCulture, $"{items / seconds,10:N0} items/s  p50 {middle:N0} µs  p99 {tail:N0} µs"),
            string.Create(
                CultureInfo.InvariantCulture,
                $"{Median(rounds, static figures => figures.Checkpoints):N0} checkpoints, p99/p50 {tail / middle:F1} (≤ 8, goal 4), "
                + $"speed {secondsWithout / seconds:F2} of without (≥ 0.9)"));
        Print(
            "  bytes to the device per insert",
            rounds.TrueForAll(static figures => figures.DeviceBytes is not null)
                ? string.Create(CultureInfo.InvariantCulture, $"{Median(rounds, f => f.DeviceBytes!.Value / items),10:N0} bytes")
                : RowColumn.NotMeasured,
            "written by any process; closing checkpoint included (≤ 1,024, goal 614)");
        Print(
            "  most memory of its own",
            string.Create(CultureInfo.InvariantCulture, $"{Median(rounds, static f => f.AnonymousBytes) / (1 << 20),10:N0} MiB"),
            string.Create(
                CultureInfo.InvariantCulture,
                $"RssAnon grown; most page versions {Median(rounds, static f => f.DirtyBytes) / (1 << 20):N0} MiB (≤ those + 64)"));
    }

    private static Figures FillOnce(string folder, StorageOptions options, FillWorkload workload, DataSet data, MemoryAtHand ready)
    {
        GC.Collect();
        Latencies latencies = new(workload.Transactions);
        BlockDevice? device = BlockDevice.Under(Path.GetDirectoryName(folder)!);
        long? deviceBytes = device?.WrittenBytes;
        long anonymous = Anonymous(ready);
        long mostAnonymous = 0;
        long mostDirty = 0;
        Figures figures;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder, options))
        {
            long start = Stopwatch.GetTimestamp();
            long last = start;
            for (int transaction = 0; transaction < workload.Transactions; transaction++)
            {
                Fill.RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
                long now = Stopwatch.GetTimestamp();
                latencies.Add(last, now);
                last = now;
                if (transaction % TransactionsPerLook == 0)
                {
                    ready.GiveUpTo(transaction / (double)workload.Transactions);
                    mostAnonymous = Math.Max(mostAnonymous, Anonymous(ready));
                    mostDirty = Math.Max(mostDirty, environment.GetReport().DirtyBytes);
                }
            }

            EnvironmentReport report = environment.GetReport();
            figures = new Figures(
                Stopwatch.GetElapsedTime(start, last).TotalSeconds,
                latencies.Microseconds(0.5),
                latencies.Microseconds(0.99),
                report.Checkpoints,
                null,
                mostAnonymous - anonymous,
                mostDirty);
        }

        figures = figures with { DeviceBytes = device?.WrittenBytes - deviceBytes };
        Fill.Verify(folder, workload, data);
        Workspace.Remove(folder);
        return figures;
    }

    private static long Anonymous(MemoryAtHand ready) => (Machine.ReadNumber("/proc/self/status", "RssAnon:") << 10) - ready.Bytes;

    /// <summary>
    /// The same small transactions while the database grows, and in an empty one beside it, in turn: the device is slower for a while after
    /// so much was written.
    /// </summary>
    private static void MeasureSizes(Workspace workspace, Arguments arguments)
    {
        string folder = workspace.NextDatabase();
        string folderBeside = workspace.NextDatabase();
        RandomBytes random = new(arguments.Seed);
        int turns = Math.Max(1, Math.Min(SmallTransactions, arguments.Transactions) / TransactionsPerTurn);
        using (RawLimit limit = new(workspace.Root))
        using (StorageEnvironment empty = StorageEnvironment.Open(folderBeside))
        {
            long items = 0;
            foreach (int third in (ReadOnlySpan<int>)[0, 1, 2, 3])
            {
                using StorageEnvironment environment = StorageEnvironment.Open(folder);
                Grow(environment, (arguments.Megabytes << 20) / 3 * third, ref items);
                environment.Checkpoint();
                RunSmall(environment, empty, turns, ref random);
                (double median, double medianOfEmpty) = RunSmall(environment, empty, turns, ref random);
                double probe = limit.Measure(SmallWriteBytes).P50Microseconds;
                Print(
                    "one put per transaction",
                    string.Create(
                        CultureInfo.InvariantCulture, $"p50 {median:N0} µs  empty {medianOfEmpty:N0} µs  raw 4 KiB write {probe:N0} µs"),
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"database of {environment.GetReport().DataFileBytes / 1e9:F2} GB: "
                        + $"{median / medianOfEmpty:F2} of an empty one (≤ 1.2)"));
            }
        }

        Workspace.Remove(folder);
        Workspace.Remove(folderBeside);
    }

    private static void Grow(StorageEnvironment environment, long bytes, ref long items)
    {
        Span<byte> key = stackalloc byte[8];
        byte[] value = new byte[LargeValueBytes];
        while (items * LargeValueBytes < bytes)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("large");
            for (int i = 0; i < 10_000 && items * LargeValueBytes < bytes; i++)
            {
                BinaryPrimitives.WriteInt64BigEndian(key, items++);
                tree.Put(key, value);
            }

            transaction.Commit();
        }
    }

    /// <summary>The medians of both.</summary>
    private static (double Median, double MedianOfEmpty) RunSmall(
        StorageEnvironment environment, StorageEnvironment empty, int turns, ref RandomBytes random)
    {
        Latencies latencies = new(turns * TransactionsPerTurn);
        Latencies latenciesOfEmpty = new(turns * TransactionsPerTurn);
        for (int turn = 0; turn < turns; turn++)
        {
            RunSmall(environment, latencies, ref random);
            RunSmall(empty, latenciesOfEmpty, ref random);
        }

        return (latencies.Microseconds(0.5), latenciesOfEmpty.Microseconds(0.5));
    }

    private static void RunSmall(StorageEnvironment environment, Latencies latencies, ref RandomBytes random)
    {
        Span<byte> key = stackalloc byte[8];
        byte[] value = new byte[DataSet.ValueBytes];
        for (int i = 0; i < TransactionsPerTurn; i++)
        {
            BinaryPrimitives.WriteUInt64BigEndian(key, random.Next() >> 1);
            long start = Stopwatch.GetTimestamp();
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                transaction.OpenTree("large").Put(key, value);
                transaction.Commit();
            }

            latencies.Add(start, Stopwatch.GetTimestamp());
        }
    }

    private static void MeasureClean(Workspace workspace, FillWorkload workload, DataSet data)
    {
        string clean = workspace.NextDatabase();
        using (StorageEnvironment environment = StorageEnvironment.Open(clean))
        {
            Fill.RunAll(environment, workload, data);
        }

        OpenOnce(clean);
        double milliseconds = OpenOnce(clean);
        Print(
            "open after a clean close",
            string.Create(CultureInfo.InvariantCulture, $"{milliseconds,10:F2} ms"),
            "second open of a warm process (≤ 5)");
        Workspace.Remove(clean);
    }

    /// <summary>What a killed process left in the journal, on top of an empty database or of one that holds everything already.</summary>
    private static void MeasureKilled(Workspace workspace, FillWorkload workload, DataSet data, ulong seed, bool isFilled)
    {
        string folder = workspace.NextDatabase();
        if (isFilled)
        {
            using StorageEnvironment environment = StorageEnvironment.Open(folder);
            Fill.RunAll(environment, workload, data);
        }

        FillWorkload again = isFilled ? workload with { Transactions = Math.Max(1, workload.Transactions / 5) } : workload;
        KilledFill killed = KilledFill.Run(folder, again.Transactions, seed);
        StorageEnvironment.Open(folder + "-warm", KilledFill.Options).Dispose();
        long start = Stopwatch.GetTimestamp();
        double milliseconds;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder, KilledFill.Options))
        {
            milliseconds = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            long last = environment.GetReport().LastTransactionId;
            if (last < killed.LastTransactionId)
            {
                throw new VerificationException($"{last:N0} transactions after a kill, {killed.LastTransactionId:N0} were acknowledged.");
            }
        }

        double mebibytes = killed.JournalBytes / (double)(1 << 20);
        Print(
            $"open after a kill, {(isFilled ? workload.Items : 0):N0} items before",
            string.Create(CultureInfo.InvariantCulture, $"{milliseconds,10:F1} ms"),
            string.Create(
                CultureInfo.InvariantCulture,
                $"{milliseconds / mebibytes:F1} ms per MiB of {mebibytes:N0} MiB written to the journal (≤ 20, goal 10)"));
        Workspace.Remove(folder);
    }

    private static double OpenOnce(string folder)
    {
        long start = Stopwatch.GetTimestamp();
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        return Stopwatch.GetElapsedTime(start).TotalMilliseconds;
    }

    /// <summary>Counts how often the engine's threads were woken while nobody used it.</summary>
    private static void MeasureRest(Workspace workspace, FillWorkload workload, DataSet data)
    {
        string folder = workspace.NextDatabase();
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        for (int transaction = 0; transaction < Math.Min(100, workload.Transactions); transaction++)
        {
            Fill.RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
        }

        while (environment.GetReport() is var report && report.CheckpointTransactionId < report.LastTransactionId)
        {
            Thread.Sleep(100);
        }

        // What follows the header, recycling above all, is part of coming to rest.
        long before;
        int turns = 0;
        do
        {
            before = CountSwitches();
            Thread.Sleep(2000);
        }
        while (CountSwitches() != before && ++turns < 10);
        Thread.Sleep(TimeSpan.FromSeconds(RestSeconds));
        double perSecond = (CountSwitches() - before) / (double)RestSeconds;
        Print(
            "wake-ups of an idle environment",
            string.Create(CultureInfo.InvariantCulture, $"{perSecond,10:F1} a second"),
            "its threads' voluntary context switches after it settled (0)");
    }

    private static long CountSwitches() => Directory.GetDirectories("/proc/self/task")
        .Where(static task => File.ReadAllText(Path.Combine(task, "comm")).StartsWith("Voron ", StringComparison.Ordinal))
        .Sum(static task => Machine.ReadNumber(Path.Combine(task, "status"), "voluntary_ctxt_switches:"));

    private static double Median(List<Figures> rounds, Func<Figures, double> figure) => Spread.Of(rounds.Select(figure)).Median;

    private static void Print(string what, string figure, string remark) => AnsiConsole.WriteLine($"{what,-58} {figure,-46} {remark}");

    private sealed record Figures(
        double Seconds, double P50, double P99, double Checkpoints, double? DeviceBytes, double AnonymousBytes, double DirtyBytes);
}
