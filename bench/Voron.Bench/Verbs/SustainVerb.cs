using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Bench.Cold;
using Voron.Bench.Load;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Workloads;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// Random inserts that go on for minutes, far beyond what page versions may take in memory: what each engine gives in every few seconds of
/// it, one engine after another. A fill of a million items ends before an engine has to write what it has gathered.
/// </summary>
internal static class SustainVerb
{
    private const string Section = "sustain";
    private const double DefaultCapSeconds = 190;
    private const int KilledExitCode = 128 + 9;

    private static readonly StoreKind[] Kinds = [StoreKinds.Ours, StoreKinds.Find(StoreKinds.RocksPackageName), StoreKinds.Lmdb];

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group(Section, NameOf(run.Arguments), Measure)];

    private static string NameOf(Arguments arguments) => string.Create(
        CultureInfo.InvariantCulture, $"random puts, {arguments.Puts:N0} a durable transaction{LoadOf(arguments)}{MemoryOf(arguments)}");

    private static string LoadOf(Arguments arguments) => arguments.Load == PutLoad.Fill ? string.Empty : $" ({arguments.Load})";

    private static string MemoryOf(Arguments arguments) => arguments.WantedMemoryMebibytes is { } memory
        ? string.Create(CultureInfo.InvariantCulture, $" in {memory:N0} MiB") : string.Empty;

    private static List<Row> Measure(BenchRun run)
    {
        bool isKilled = run.Arguments.IsKilled;
        using MemoryGroup? group = MakeGroup(run.Arguments);
        return
        [
            .. Kinds.Where(kind => run.Arguments.WantsEngine(kind.Name) && (kind.IsOurs || !isKilled))
                .Select(kind => run.RefusalOf(kind) is { } refusal ? Row.Skipped(NameOf(run.Arguments), kind.Name, "sync", refusal)
                    : isKilled ? Kill(run, kind, group)
                    : Fill(run, kind, group)),
        ];
    }

    private static MemoryGroup? MakeGroup(Arguments arguments) => arguments.WantedMemoryMebibytes is not { } memory ? null
        : MemoryGroup.TryMake(memory << 20) ?? throw new IOException("No control group can be made here, which --memory needs.");

    private static SustainedFill FillOf(BenchRun run, StoreKind kind)
    {
        Arguments arguments = run.Arguments;
        double cap = arguments.WantedCapSeconds ?? DefaultCapSeconds;
        return new SustainedFill(
            kind.Name, run.Workspace.NextDatabase(), run.Scaled(arguments.Items), arguments.Puts, arguments.DirtyMebibytes << 20,
            arguments.SoftMebibytes << 20, cap, arguments.Seed, arguments.IsKilled ? arguments.KillAfterSeconds ?? cap : null,
            arguments.IsKilled ? PutLoad.Fill : arguments.Load, arguments.HasReads,
            arguments.IsWriteOptimized ? TreeOptions.WriteOptimized : TreeOptions.None);
    }

    private static Row Fill(BenchRun run, StoreKind kind, MemoryGroup? group)
    {
        SustainedFill fill = FillOf(run, kind);
        run.AwaitCalm();
        Probe before = run.Probe(ProbeSize.Short);
        FillProcess process = FillProcess.Run(fill, group, interval => Tell(kind, interval.ToString()));
        if (process.Row is not { } row)
        {
            string failure = $"failed: its process ended with code {process.ExitCode}";
            return kind.IsOurs ? throw new VerificationException($"{kind.Name}: {failure}.") : Row.Skipped(
                NameOf(run.Arguments), kind.Name, "sync", failure);
        }

        Probe after = run.Probe(ProbeSize.Short);
        row = row with
        {
            Name = NameOf(run.Arguments),
            Durability = DurabilityOf(run, kind, fill),
            Version = kind.Version,
            DiskBytes = DiskUse.Of(fill.Folder),
            ProbeBeforeMicroseconds = before.Microseconds,
            ProbeAfterMicroseconds = after.Microseconds,
            OverTime = FillInterval.SeriesOf(process.Intervals),
            Note = row.Items == fill.Items ? null : string.Create(
                CultureInfo.InvariantCulture, $"{WorkloadRun.EndedEarly}{row.Items:N0} of {fill.Items:N0} items"),
        };
        Tell(kind, TotalOf(row));
        if (process.Reads is { } reads)
        {
            Tell(kind, reads.ToString());
            row = row with { Note = row.Note is null ? reads.ToString() : $"{row.Note}; {reads}" };
        }
        else if (row.Note is not null)
        {
            Tell(kind, row.Note);
        }

        using (IStore store = fill.Open())
        {
            Verify(kind, store, fill, (int)row.Items);
        }

        Workspace.Remove(fill.Folder);
        return row;
    }

    /// <summary>How long the next open takes, without the limit, after a kill. Everything that was acknowledged must be there.</summary>
    private static Row Kill(BenchRun run, StoreKind kind, MemoryGroup? group)
    {
        SustainedFill fill = FillOf(run, kind);
        FillProcess process = FillProcess.Run(fill, group, interval => Tell(kind, interval.ToString()));
        if (process.ExitCode != (OperatingSystem.IsWindows() ? -1 : KilledExitCode))
        {
            throw new VerificationException($"the process that was to be killed ended with code {process.ExitCode}.");
        }

        int acknowledged = fill.ReadAcknowledged();
        StoreFiles left = StoreFiles.In(fill.Folder);

        // Code that is not compiled yet would be counted as recovery.
        StorageEnvironment.Open(fill.Folder + "-warm").Dispose();
        long start = Stopwatch.GetTimestamp();
        using OurStore store = (OurStore)fill.Open();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        int items = (int)store.Scan().Entries;
        if (items < acknowledged || items > acknowledged + fill.PutsPerTransaction
            || (items % fill.PutsPerTransaction != 0 && items != fill.Items))
        {
            throw new VerificationException($"{items:N0} items after a kill, {acknowledged:N0} were acknowledged.");
        }

        string note = string.Create(
            CultureInfo.InvariantCulture,
            $"{acknowledged:N0} items were acknowledged, {items:N0} are there; journal {left.JournalBytes >> 20:N0} MiB, "
            + $"data {left.DataBytes >> 20:N0} MiB");
        Tell(kind, string.Create(CultureInfo.InvariantCulture, $"open after the kill in {seconds:N2} s (≤ 15): {note}"));
        Verify(kind, store, fill, items);
        return Row.Timed("open after a kill", kind.Name, "sync", 0, [seconds]) with
        {
            Durability = DurabilityOf(run, kind, fill), Version = kind.Version, Note = note,
        };
    }

    private static string DurabilityOf(BenchRun run, StoreKind kind, SustainedFill fill) =>
        kind.IsOurs && fill.MaxDirtyBytes is { } dirty
            ? string.Create(CultureInfo.InvariantCulture, $"CommitMode.Durable, MaxDirtyBytes {dirty >> 20:N0} MiB{TreeOf(fill)}")
            : run.DurabilityOf(kind);

    private static string TreeOf(SustainedFill fill) => fill.Tree == TreeOptions.None ? string.Empty : ", write-optimized";

    private static string TotalOf(Row row) => string.Create(
        CultureInfo.InvariantCulture,
        $"all {row.Seconds,4:N1} s {row.Items,13:N0} items {row.ItemsPerSecond,9:N0}/s  p50 {row.P50Microseconds / 1e3:N3} "
        + $"p99 {row.P99Microseconds / 1e3:N3} p99.9 {row.P999Microseconds / 1e3:N2} max {row.MaxMicroseconds / 1e3:N1} ms  "
        + $"{FillInterval.DeviceBytesText(row.DeviceBytesPerItem)} a put  peak {row.PeakBytes / (1 << 20):N0} MiB  "
        + $"closed in {row.CloseSeconds:N2} s");

    private static void Verify(StoreKind kind, IStore store, SustainedFill fill, int items)
    {
        fill.Sequence.Demand($"{kind.Name}, after reopening", store, items);
        if (store is OurStore ours && ours.Environment.Check() is { IsClean: false } report)
        {
            throw new VerificationException($"{kind.Name}: the whole check found {report.Findings.Count} faults.");
        }

        string check = kind.IsOurs ? ", and the whole check found nothing" : string.Empty;
        Tell(kind, $"reopened: {fill.Sequence.Count(items):N0} items are there{check}");
    }

    private static void Tell(StoreKind kind, string line) => AnsiConsole.WriteLine($"{kind.Name,-15} {line}");
}
