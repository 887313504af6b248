using System.Globalization;
using Spectre.Console;
using Voron.Bench.Cold;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// A tree that is several times the memory which its process may use: random gets, a whole scan and random puts, each in a process of its
/// own that begins with nothing of the tree in memory. What counts is time and bytes read from the device for each operation.
/// </summary>
internal static class ColdVerb
{
    private const string Section = "cold";

    private const double DefaultCapSeconds = 300;

    /// <summary>A fill is quicker with large transactions, and its speed is not what is measured here.</summary>
    private const int MostItemsPerFillTransaction = 50_000;

    /// <summary>In which a small tree grows, so that it does not become much larger than it is to be.</summary>
    private const int Steps = 32;

    private static readonly StoreKind[] Kinds = [StoreKinds.Ours, StoreKinds.LmdbWithoutReadAhead];

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group(Section, "a tree larger than memory", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        string root = run.Workspace.Root;
        BlockDevice device = BlockDevice.Under(root) ?? throw new IOException(
            $"Reads cannot be counted: {BlockDevice.Unknown} '{root}'. Give one on a local disk with --dir.");
        if (!PageCache.CanDrop(root, device))
        {
            throw new IOException(
                $"Reads cannot be counted: the system does not drop the files of '{root}' from memory. Give another folder with --dir.");
        }

        using MemoryGroup? group = MemoryGroup.TryMake(run.Arguments.MemoryMebibytes << 20);
        string memory = group?.Description
            ?? "all of the memory (no control group can be made here): the tree was dropped from it before, and comes back meanwhile";
        string where = device.ReadAheadKibibytes is { } readAhead
            ? string.Create(CultureInfo.InvariantCulture, $"{memory}; the device's read-ahead is {readAhead:N0} KiB") : memory;
        AnsiConsole.WriteLine($"each phase in {where}");
        return [.. Kinds.Where(kind => run.Arguments.WantsEngine(kind.Name)).SelectMany(kind => Measure(run, kind, group, device, where))];
    }

    private static List<Row> Measure(BenchRun run, StoreKind kind, MemoryGroup? group, BlockDevice device, string where)
    {
        Arguments arguments = run.Arguments;
        string folder = run.Workspace.NextDatabase();
        ColdPhase phase = new(kind.Name, folder, ColdWork.Get, 0, arguments.Puts, arguments.Seconds, arguments.Seed);
        if (run.RefusalOf(kind) is { } refusal)
        {
            return [.. Enum.GetValues<ColdWork>().Select(work => (phase with { Work = work }).Skip(refusal))];
        }

        int items = Fill(kind, folder, arguments.Megabytes << 20, arguments.Seed);
        phase = phase with { Items = items };
        double? diskBytes = DiskUse.Of(folder);
        List<Row> rows = [];
        foreach (ColdWork work in Enum.GetValues<ColdWork>())
        {
            phase = phase with { Work = work };
            Row row = Measure(run, phase, group, device);
            phase = phase with { Items = phase.Items + (work == ColdWork.Put ? (int)row.Items : 0) };
            rows.Add(row.SkippedBecause is not null ? row : row with
            {
                Durability = run.DurabilityOf(kind),
                Version = kind.Version,
                DiskBytes = diskBytes,
                Note = string.Create(
                    CultureInfo.InvariantCulture, $"{items:N0} items in a tree of {arguments.Megabytes:N0} MiB; in {where}"),
            });
        }

        // Puts of a process that did not come to its end may be more than it said.
        if (rows[(int)ColdWork.Put].SkippedBecause is null)
        {
            using IStore store = kind.Open(folder);
            new ItemSequence(arguments.Seed).Demand($"{kind.Name}, after reopening", store, phase.Items);
        }

        Workspace.Remove(folder);
        return rows;
    }

    private static Row Measure(BenchRun run, ColdPhase phase, MemoryGroup? group, BlockDevice device)
    {
        run.AwaitCalm();
        PageCache.Drop(phase.Folder);
        Probe before = run.Probe(ProbeSize.Short);
        TimeSpan cap = TimeSpan.FromSeconds(run.Arguments.WantedCapSeconds ?? DefaultCapSeconds);
        if (phase.RunApart(group, cap, device, out int exitCode) is not { } row)
        {
            string failure = $"failed: its process ended with code {exitCode}; that of too little memory is 137";
            return phase.Engine == OurStore.Name ? throw new VerificationException(failure) : phase.Skip(failure);
        }

        if (row.SkippedBecause is { } because)
        {
            AnsiConsole.WriteLine($"{phase.Engine,-20} {row.Name,-24} {because}");
            return row;
        }

        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{phase.Engine,-20} {row.Name,-24} {row.Items,12:N0} in {row.Seconds:N1} s {1e6 / row.ItemsPerSecond,9:N2} us and "
            + $"{row.DeviceBytesReadPerItem:N0} bytes read each"));
        return row with
        {
            ProbeBeforeMicroseconds = before.Microseconds, ProbeAfterMicroseconds = run.Probe(ProbeSize.Short).Microseconds,
        };
    }

    /// <summary>Fills a database until its tree is as large as it is to be; how many items that took.</summary>
    private static int Fill(StoreKind kind, string folder, long bytes, ulong seed)
    {
        ItemSequence sequence = new(seed);
        using IStore store = kind.Open(folder);
        using IStoreWriter writer = store.OpenWriter();
        int step = (int)Math.Min(MostItemsPerFillTransaction, Math.Max(1, bytes / Steps / (DataSet.KeyBytes + DataSet.ValueBytes)));
        int items = 0;
        for (; store.AllocatedBytes < bytes; items += step)
        {
            sequence.Put(writer, items, step);
        }

        writer.Finish();
        (store as OurStore)?.AwaitMerged();
        return items;
    }
}
