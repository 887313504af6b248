using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Bench.Load;
using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Verbs;

/// <summary>
/// A database of 1 GB that loses 90 % of its entries at random and is compacted beside durable transactions of one put at a fixed rate:
/// the length of the file afterwards, of what is in use, and the latency of the commits, of that without a compaction.
/// </summary>
internal static class CompactVerb
{
    private const string Name = "compact";
    private const int KeyBytes = 16;
    private const int ValueBytes = 104;
    private const int EntriesPerTransaction = 10_000;
    private const int KeptOneIn = 10;
    private const int Rate = 500;
    private const int PutsInARow = 500;
    private const int RowsWithout = 20;
    private const double MostOfUsed = 1.1;
    private const double MostOfP99 = 2;

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        int entries = Math.Max(20_000, (int)(7_500_000 * arguments.Scale));
        AnsiConsole.WriteLine($"files in {workspace.Root}, {entries:N0} entries of {KeyBytes + ValueBytes} bytes");
        string folder = workspace.NextDatabase();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder))
        {
            Change(environment, arguments.Seed, entries, static (tree, key, value) => tree.Put(key, value), static _ => true);
            Print("filled", environment);
            Change(
                environment, arguments.Seed, entries, static (tree, key, _) => tree.Delete(key), static number => number % KeptOneIn != 0);
            environment.Checkpoint();
            Print("deleted", environment);
            Compact(environment, arguments.Seed, entries);
        }

        return 0;
    }

    private static void Compact(StorageEnvironment environment, ulong seed, int entries)
    {
        Latencies without = Latencies.Together([.. Enumerable.Range(0, RowsWithout).Select(_ => Load(environment, seed, entries))]);
        long start = Stopwatch.GetTimestamp();
        Task<CompactReport> compaction = environment.CompactAsync().AsTask();
        List<Latencies> rows = [];
        while (!compaction.IsCompleted)
        {
            rows.Add(Load(environment, seed, entries));
        }

        CompactReport report = compaction.GetAwaiter().GetResult();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        Latencies beside = Latencies.Together(rows);
        environment.Checkpoint();
        Print("compacted", environment);
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{seconds:N1} s, {report.MovedPages:N0} pages moved, {report.MergedPages:N0} leaves merged"));
        Gate("file after, of what is in use", report.FileBytesAfter / (double)report.UsedBytes, MostOfUsed);
        double left = (entries + KeptOneIn - 1L) / KeptOneIn * (KeyBytes + ValueBytes);
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{"file after, of the entries' bytes",-36} {report.FileBytesAfter / left:0.00}"));
        Print("commits without", without);
        Print("commits beside", beside);
        Gate("p99 of commits beside, of without", beside.Microseconds(0.99) / without.Microseconds(0.99), MostOfP99);
        CheckReport check = environment.Check();
        if (!check.IsClean)
        {
            throw new VerificationException(string.Join("; ", check.Findings));
        }
    }

    /// <summary>A second of overwriting entries that were kept; latencies from when each ought to have begun.</summary>
    private static Latencies Load(StorageEnvironment environment, ulong seed, int entries)
    {
        RandomBytes random = new(seed + (ulong)Stopwatch.GetTimestamp());
        byte[] entry = new byte[KeyBytes + ValueBytes];
        return OpenLoop.Real.Run(Rate, PutsInARow, _ =>
        {
            int number = random.Below(entries / KeptOneIn) * KeptOneIn;
            EntryOf(seed, number, entry);
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree(Name).Put(entry.AsSpan(0, KeyBytes), entry.AsSpan(KeyBytes));
            transaction.Commit();
        }).FromSchedule;
    }

    private static void Change(
        StorageEnvironment environment, ulong seed, int entries, Action<Tree, byte[], byte[]> change, Func<int, bool> isWanted)
    {
        byte[] entry = new byte[KeyBytes + ValueBytes];
        for (int first = 0; first < entries; first += EntriesPerTransaction)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Name);
            for (int number = first; number < Math.Min(entries, first + EntriesPerTransaction); number++)
            {
                if (isWanted(number))
                {
                    EntryOf(seed, number, entry);
                    change(tree, entry[..KeyBytes], entry[KeyBytes..]);
                }
            }

            transaction.Commit(CommitMode.Lazy);
        }

        environment.Flush();
    }

    /// <summary>An entry whose key follows no order of the numbers.</summary>
    private static void EntryOf(ulong seed, int number, byte[] entry) =>
        new RandomBytes(seed).After((long)number * (entry.Length / sizeof(ulong))).Fill(entry);

    private static void Print(string what, StorageEnvironment environment)
    {
        EnvironmentReport report = environment.GetReport();
        AnsiConsole.WriteLine(
            $"{what,-36} data file {report.DataFileBytes >> 20:N0} MiB, {(report.DataFileBytes - report.FreeBytes) >> 20:N0} in use");
    }

    private static void Print(string what, Latencies latencies) => AnsiConsole.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{what,-36} {latencies.Count:N0}: p50 {latencies.Microseconds(0.5):N0} µs, p99 {latencies.Microseconds(0.99):N0} µs, "
        + $"longest {latencies.Microseconds(1):N0} µs"));

    private static void Gate(string what, double figure, double most) => AnsiConsole.WriteLine(string.Create(
        CultureInfo.InvariantCulture, $"{what,-36} {figure:0.00} (≤ {most:0.0}: {(figure <= most ? "holds" : "FAILS")})"));
}
