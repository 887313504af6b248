using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Verbs;

/// <summary>
/// Transactions far beyond the memory that they may use, and a reader that is held while everything is overwritten. What counts is memory
/// and files: the peak of memory that no file stands behind, and how the files grow. A tenth of the promised sizes unless all is asked for.
/// </summary>
internal static class HugeVerb
{
    private const string Name = "huge";
    private const long MaxDirtyBytes = 64L << 20;
    private const long MostOverCap = 128L << 20;
    private const int ValueBytes = 100;
    private const int LargeValueBytes = 1 << 20;

    private static readonly StorageOptions Capped = new() { MaxDirtyBytes = MaxDirtyBytes };

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}, {MaxDirtyBytes >> 20} MiB of page versions");
        int part = arguments.IsFull ? 1 : 10;
        string folder = workspace.NextDatabase();
        PutMany(folder, 10_000_000 / part, arguments.Seed);
        Workspace.Remove(folder);
        folder = workspace.NextDatabase();
        PutLarge(folder, (int)((4L << 30) / LargeValueBytes / part), arguments.Seed);
        Drop(folder, (int)((2L << 30) / LargeValueBytes / part));
        Workspace.Remove(folder);
        folder = workspace.NextDatabase();
        HoldReader(folder, (int)((1L << 30) / (ValueBytes + 30) / part), arguments.IsFull ? 10 : 3, arguments.Seed);
        Workspace.Remove(folder);
        return 0;
    }

    private static void PutMany(string folder, int puts, ulong seed) => Measure($"{puts:N0} random puts", folder, environment =>
    {
        RandomBytes random = new(seed);
        Span<byte> entry = stackalloc byte[16 + 104];
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Name);
        for (int i = 0; i < puts; i++)
        {
            random.Fill(entry);
            tree.Put(entry[..16], entry.Slice(16, ValueBytes));
        }

        transaction.Commit();
    });

    private static void PutLarge(string folder, int values, ulong seed) =>
        Measure($"{values:N0} values of {LargeValueBytes >> 20} MiB", folder, environment =>
        {
            byte[] value = new byte[LargeValueBytes];
            new RandomBytes(seed).Fill(value);
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Name);
            for (int i = 0; i < values; i++)
            {
                tree.Put(Key(i), value);
            }

            transaction.Commit();
        });

    /// <summary>All but so many values go first, in a transaction of their own.</summary>
    private static void Drop(string folder, int values)
    {
        Measure("deleted range before it", folder, environment =>
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Name);
            Require(tree.DeleteRange(Key(0), Key((int)tree.Count - values)) > 0, "the range is empty");
            transaction.Commit();
        });
        Measure($"drop of {values:N0} values of {LargeValueBytes >> 20} MiB", folder, environment =>
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Require(transaction.DropTree(Name), "there is no tree");
            transaction.Commit();
        });
    }

    /// <summary>Pages that the reader sees stay where they are or are kept once, however often they are overwritten.</summary>
    private static void HoldReader(string folder, int entries, int overwrites, ulong seed)
    {
        Measure($"{entries:N0} entries", folder, environment => Overwrite(environment, entries, seed));
        Measure($"{overwrites} overwrites beside a reader", folder, environment =>
        {
            using ReadTransaction reader = environment.BeginRead();
            for (int round = 1; round <= overwrites; round++)
            {
                Overwrite(environment, entries, seed + (ulong)round);
            }

            environment.Checkpoint();
            EnvironmentReport report = environment.GetReport();
            Print("  kept for the reader", $"{report.RetainedBytes >> 20:N0} MiB", $"of {report.DataFileBytes >> 20:N0} MiB (≤ one copy)");
            Require(reader.TryOpenTree(Name, out ReadTree tree) && tree.Count == entries, "the reader lost its entries");
        });
    }

    private static void Overwrite(StorageEnvironment environment, int entries, ulong seed)
    {
        const int EntriesPerTransaction = 10_000;
        byte[] value = new byte[104];
        RandomBytes random = new(seed);
        for (int first = 0; first < entries; first += EntriesPerTransaction)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Name);
            for (int i = first; i < Math.Min(entries, first + EntriesPerTransaction); i++)
            {
                random.Fill(value);
                tree.Put(Key(i), value.AsSpan(0, ValueBytes));
            }

            transaction.Commit();
        }
    }

    private static void Measure(string what, string folder, Action<StorageEnvironment> work)
    {
        GC.Collect();
        long before = Machine.AnonymousBytes;
        long fileBefore = SizeOf(folder, "data.voron");
        long start = Stopwatch.GetTimestamp();
        double seconds;
        EnvironmentReport report;
        using MemoryPeak peak = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder, Capped))
        {
            work(environment);
            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            report = environment.GetReport();
        }

        long grown = peak.Bytes - before;
        string verdict = grown <= MaxDirtyBytes + MostOverCap ? "holds" : "FAILS";
        Print(what, $"{seconds:N1} s, peak {grown >> 20:N0} MiB", $"≤ {(MaxDirtyBytes + MostOverCap) >> 20:N0} MiB: {verdict}");
        Print(
            "  files",
            $"data {fileBefore >> 20:N0} → {SizeOf(folder, "data.voron") >> 20:N0} MiB",
            $"MiB: journal {report.JournalBytes >> 20:N0}, spilled {report.SpillBytes >> 20:N0}, holes {report.PunchedBytes >> 20:N0}");
    }

    private static byte[] Key(int number) => System.Text.Encoding.ASCII.GetBytes(number.ToString("D16", CultureInfo.InvariantCulture));

    private static long SizeOf(string folder, string file) =>
        new FileInfo(Path.Combine(folder, file)) is { Exists: true } found ? found.Length : 0;

    private static void Require(bool isTrue, string problem)
    {
        if (!isTrue)
        {
            throw new VerificationException(problem);
        }
    }

    private static void Print(string what, string figure, string remark) => AnsiConsole.WriteLine($"{what,-40} {figure,-36} {remark}");
}
