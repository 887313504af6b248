using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Tables;

namespace Voron.Bench.Verbs;

/// <summary>
/// Tables with three indexes beside SQLite and LiteDB: durable transactions of inserts, gets by the unique index, and an index build over
/// rows that are there, ours beside a writer. Ends with what must be reached and whether it is.
/// </summary>
internal static class TablesVerb
{
    private const string Section = "tables";
    private const int RowsOfTransaction = 100;
    private const int MostGets = 200_000;

    /// <summary>The index is built over this many times the rows that are inserted.</summary>
    private const int RowsOfBuild = 10;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
    [
        new Group(Section, "durable inserts and gets", MeasureInserts),
        new Group(Section, "index build", MeasureBuild),
    ];

    private static TableContender[] Contenders(BenchRun run)
    {
        List<TableContender> able = [];
        foreach (TableContender contender in TableContender.All().Where(contender => run.Arguments.WantsEngine(contender.Name)))
        {
            if (run.RefusalOf(contender.Kind) is { } refusal)
            {
                Tell($"{contender.Name}: skipped; {refusal}");
            }
            else
            {
                able.Add(contender);
            }
        }

        return [.. able];
    }

    private static List<Row> MeasureInserts(BenchRun run)
    {
        int rows = run.Scaled(run.Arguments.Rows, RowsOfTransaction);
        BenchRow[] data = [.. Enumerable.Range(0, rows).Select(number => new RowData(run.Arguments.Seed).Row(number))];
        TableContender[] contenders = Contenders(run);
        for (int round = 0; round <= run.Arguments.Rounds; round++)
        {
            foreach (TableContender contender in contenders)
            {
                run.AwaitCalm();
                string folder = run.Workspace.NextDatabase();
                double insert;
                double get;
                using (ITableStore store = contender.Open(folder, true))
                {
                    insert = Insert(store, data, run.Arguments.CapSeconds, out int inserted);
                    contender.Rows = inserted;
                    get = Get(store, data.AsSpan(0, inserted), run.Arguments.Seed);
                    Demands.Count("rows", store.Count(), inserted);
                    store.Check();
                }

                Workspace.Remove(folder);
                if (round > 0)
                {
                    contender.Inserts.Add(insert);
                    contender.Gets.Add(get);
                    Tell(Text($"{round}/{run.Arguments.Rounds}  {contender.Name,-30} {contender.Rows,9:N0} rows, ")
                        + Text($"{RowsOfTransaction / insert,8:N0} rows/s, {insert * 1e6,7:N0} µs a transaction; {get * 1e6:N1} µs a get"));
                }
            }
        }

        if (Find(contenders, OurStore.Name) is { } ours)
        {
            TableContender? sqlite = Find(contenders, TableContender.SqliteName);
            TableContender? lite = Find(contenders, TableContender.LiteName);
            Promise.Print("inserts, times SQLite", Times(sqlite, ours, static one => one.Inserts), 5, isCeiling: false);
            Promise.Print("inserts, times LiteDB", Times(lite, ours, static one => one.Inserts), 10, isCeiling: false);
            Promise.Print("get by unique index, times SQLite", Times(sqlite, ours, static one => one.Gets), 3, isCeiling: false);
        }

        return
        [
            .. contenders.Select(contender => RowOf(
                run, contender, $"insert, {RowsOfTransaction} rows a tx", RowsOfTransaction, contender.Inserts)),
            .. contenders.Select(contender => RowOf(run, contender, "get by unique index", 1, contender.Gets)),
        ];
    }

    private static List<Row> MeasureBuild(BenchRun run)
    {
        int rows = run.Scaled(run.Arguments.Rows, RowsOfTransaction) * RowsOfBuild;
        RowData data = new(run.Arguments.Seed);
        TableContender[] contenders = Contenders(run);
        List<double> alone = [];
        List<double> beside = [];
        for (int round = 1; round <= run.Arguments.Rounds; round++)
        {
            foreach (TableContender contender in contenders)
            {
                string folder = run.Workspace.NextDatabase();
                using (ITableStore store = contender.Open(folder, false))
                {
                    store.Load(data, rows);
                    run.AwaitCalm();
                    string writer = string.Empty;
                    if (store is OurTableStore ours)
                    {
                        BesideBuild done = BesideBuild.Run(ours, data, rows, Math.Min(2, 2 * run.Arguments.Scale));
                        contender.Builds.Add(done.Seconds);
                        alone.Add(done.Alone);
                        beside.Add(done.Beside / done.Alone);
                        writer = Text($"; beside {done.Beside:N0} commits/s, {done.Alone:N0} without");
                    }
                    else
                    {
                        long start = Stopwatch.GetTimestamp();
                        store.BuildIndex();
                        contender.Builds.Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
                    }

                    Demands.Count("rows", store.Count(), rows);
                    Demands.Count("found", store.Find(data.Email(rows / 2)), rows / 2);
                    store.Check();
                    Tell(Text($"{round}/{run.Arguments.Rounds}  {contender.Name,-30} {rows:N0} rows in ")
                        + Text($"{contender.Builds[^1]:N2} s{writer}"));
                }

                Workspace.Remove(folder);
            }
        }

        if (Find(contenders, OurStore.Name) is { } us)
        {
            double million = Spread.Of(us.Builds).Median * 1_000_000 / rows;
            Promise.Print("seconds of a build over 1,000,000 rows", Math.Round(million, 2), 3, isCeiling: true);
            Promise.Print("rate of commits beside it, of that without", Spread.Of(beside).Median, 0.8, isCeiling: false);
        }

        return
        [
            .. contenders.Select(contender => RowOf(run, contender, "build of a unique index", rows, contender.Builds) with
            {
                Note = contender.Kind.IsOurs
                    ? Text($"beside a writer at {Spread.Of(beside).Median:P0} of the {Spread.Of(alone).Median:N0} commits/s without")
                    : "no writer beside it",
            }),
        ];
    }

    /// <summary>Seconds of a transaction, over all rows or until the time is over.</summary>
    private static double Insert(ITableStore store, BenchRow[] data, double cap, out int inserted)
    {
        GC.Collect();
        inserted = 0;
        long start = Stopwatch.GetTimestamp();
        double seconds = 0;
        while (inserted + RowsOfTransaction <= data.Length && seconds < cap)
        {
            store.Begin();
            for (int i = 0; i < RowsOfTransaction; i++)
            {
                store.Insert(data[inserted++]);
            }

            store.Commit();
            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        return seconds * RowsOfTransaction / inserted;
    }

    /// <summary>Seconds of a get, each of which must find its row.</summary>
    private static double Get(ITableStore store, ReadOnlySpan<BenchRow> data, ulong seed)
    {
        RandomBytes random = new(seed);
        int gets = Math.Min(MostGets, 2 * data.Length);
        long right = 0;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < gets; i++)
        {
            BenchRow row = data[random.Below(data.Length)];
            right += store.Find(row.Email) == row.Id ? 1 : 0;
        }

        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        Demands.Count("gets", right, gets);
        return seconds / gets;
    }

    private static double? Times(TableContender? peer, TableContender ours, Func<TableContender, List<double>> figure) =>
        peer is null ? null : Spread.Of(figure(peer)).Median / Spread.Of(figure(ours)).Median;

    private static Row RowOf(BenchRun run, TableContender contender, string name, long items, List<double> seconds) =>
        Row.Timed(name, contender.Name, "sync", items, seconds) with
        {
            Durability = run.DurabilityOf(contender.Kind), Version = contender.Kind.Version,
        };

    private static TableContender? Find(IEnumerable<TableContender> contenders, string name) =>
        contenders.FirstOrDefault(contender => contender.Name == name);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void Tell(string line) => AnsiConsole.WriteLine(line);
}
