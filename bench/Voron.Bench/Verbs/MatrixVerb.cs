using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Workloads;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// The matrix of 2013 in its order and line format. Its words: none, the system decides (CommitMode.Lazy); buff, out of the process
/// (CommitMode.Buffered); sync, on the device (CommitMode.Durable, the default).
/// </summary>
internal static class MatrixVerb
{
    private const string Section = "matrix";
    private const int ItemsPerTransaction = 100;

    private static readonly (string Word, CommitMode Mode)[] Modes =
        [("none", CommitMode.Lazy), ("buff", CommitMode.Buffered), ("sync", CommitMode.Durable)];

    internal static int Run(Arguments arguments)
    {
        int code = GroupRunner.Run(arguments, Groups);
        AnsiConsole.WriteLine("none = CommitMode.Lazy, buff = CommitMode.Buffered, sync = CommitMode.Durable");
        return code;
    }

    internal static IEnumerable<Group> Groups(BenchRun run)
    {
        int items = run.Scaled(1_000_000, 1_000);
        int separate = run.Scaled(10_000, 100);
        return
        [
            Fills("fill seq", KeyOrder.Ascending, 1, items),
            Fills("fill seq 10,000 tx", KeyOrder.Ascending, items / ItemsPerTransaction, ItemsPerTransaction),
            Fills("fill rnd", KeyOrder.Random, 1, items),
            Fills("fill rnd 10,000 tx", KeyOrder.Random, items / ItemsPerTransaction, ItemsPerTransaction),
            Fills("fill seq separate tx", KeyOrder.Ascending, separate, 1),
            Fills("fill rnd separate tx", KeyOrder.Random, separate, 1),
            new Group(Section, "reads", run => Print(MatrixReads.Measure(run, items))),
        ];
    }

    private static Group Fills(string name, KeyOrder order, int transactions, int perTransaction) => new(
        Section,
        name,
        run => Print(new Contest(run, perTransaction == ItemsPerTransaction ? ProbeSize.Headline : ProbeSize.Short).Run(
            [.. Modes.Select(mode => Fill(run, name, mode.Word, mode.Mode, new Workload(name, WorkStep.Fill, transactions, perTransaction)
            {
                Order = order,
            }))],
            run.Arguments.Rounds)));

    private static Contender Fill(BenchRun run, string name, string word, CommitMode mode, Workload workload) => new(
        name.Insert("fill xxx".Length, " " + word), OurStore.Name, word, $"CommitMode.{mode}", () =>
        {
            StoreKind kind = StoreKinds.Ours with { Open = folder => new OurStore(folder, mode) };
            return WorkloadRun.Once(run, kind, workload) with { Note = OldFigureOf(workload, mode) };
        });

    /// <summary>The one line of the matrix whose figure of 2013 is known; on hardware of that time.</summary>
    private static string? OldFigureOf(Workload workload, CommitMode mode) =>
        workload is { Order: KeyOrder.Random, PerTransaction: ItemsPerTransaction } && mode == CommitMode.Buffered
            ? "2013: 161,812 ms 6,180 ops / sec; tuned 6,340, then 8,078"
            : null;

    private static List<Row> Print(List<Row> rows)
    {
        foreach (Row row in rows)
        {
            AnsiConsole.WriteLine(ResultLine.Of(row) + (row.Note is null ? string.Empty : "   " + row.Note));
        }

        return rows;
    }
}
