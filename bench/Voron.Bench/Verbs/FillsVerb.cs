using System.Diagnostics;
using Spectre.Console;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// Fills of one transaction: puts without order, puts in order, bulk load; ours and LMDB's in turn, and what the trees take.
/// </summary>
internal static class FillsVerb
{
    private const string Ours = "Voron.Storage";
    private const string Peer = "lmdb";

    private delegate double FillOf(string folder, DataSet data, Stopwatch watch);

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        DataSet data = new(arguments.Transactions * FillWorkload.ItemsPerTransaction, arguments.Seed);
        List<(string Name, string Engine, FillOf Work)> kinds =
        [
            ("fill rnd, one tx", Ours, static (folder, data, watch) => FillOurs(folder, data, watch, KeyOrder.Random, loads: false)),
            ("fill seq, one tx", Ours, static (folder, data, watch) => FillOurs(folder, data, watch, KeyOrder.Ascending, loads: false)),
            ("bulk load, one tx", Ours, static (folder, data, watch) => FillOurs(folder, data, watch, KeyOrder.Ascending, loads: true)),
        ];
        if (LmdbCalls.AreThere)
        {
            kinds.Add(("fill rnd, one tx", Peer, static (folder, data, watch) => FillPeer(folder, data, watch, KeyOrder.Random, false)));
            kinds.Add(("fill seq, one tx", Peer, static (folder, data, watch) => FillPeer(folder, data, watch, KeyOrder.Ascending, false)));
            kinds.Add(("bulk load, one tx", Peer, static (folder, data, watch) => FillPeer(folder, data, watch, KeyOrder.Ascending, true)));
        }
        else
        {
            AnsiConsole.WriteLine($"lmdb: skipped, its library is not on this machine; {LmdbCalls.InstallLine}");
        }

        Row[] rows = Measure(kinds, workspace, data, arguments.Rounds);
        RowTable.WriteReads(rows);
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    private static Row[] Measure(
        List<(string Name, string Engine, FillOf Work)> kinds, Workspace workspace, DataSet data, int rounds)
    {
        List<double>[] seconds = [.. kinds.Select(_ => new List<double>())];
        double[] ratios = new double[kinds.Count];

        // Round 0 warms up.
        for (int round = 0; round <= rounds; round++)
        {
            for (int kind = 0; kind < kinds.Count; kind++)
            {
                string folder = workspace.NextDatabase();
                Stopwatch watch = new();
                ratios[kind] = kinds[kind].Work(folder, data, watch);
                Workspace.Remove(folder);
                if (round > 0)
                {
                    seconds[kind].Add(watch.Elapsed.TotalSeconds);
                }
            }

            AnsiConsole.WriteLine($"round {round}/{rounds}");
        }

        return
        [
            .. kinds.Select((kind, place) =>
                RowOf(kind.Name, kind.Engine, data.Items, Spread.Of(seconds[place]), rounds, ratios[place])),
        ];
    }

    private static Row RowOf(string name, string engine, int items, Spread seconds, int rounds, double ratio) => new()
    {
        Name = name,
        Engine = engine,
        Mode = "sync",
        Items = items,
        Seconds = seconds.Median,
        SecondsMin = seconds.Min,
        SecondsMax = seconds.Max,
        Rounds = rounds,
        AllocatedToLogical = ratio,
    };

    private static double FillOurs(string folder, DataSet data, Stopwatch watch, KeyOrder order, bool loads)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        watch.Start();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Voron.Storage.Tree tree = Fill.OpenTree(transaction);
            if (loads)
            {
                tree.Load(data.Pairs(order));
            }
            else
            {
                for (int item = 0; item < data.Items; item++)
                {
                    tree.Put(data.Key(order, item), data.Value(item));
                }
            }

            transaction.Commit();
        }

        watch.Stop();
        using ReadTransaction read = environment.BeginRead();
        TreeReport report = Fill.OpenTree(read).GetReport();
        ReadWork.Demand("fill", report.Entries, data.Items);
        return report.AllocatedBytes / ((double)data.Items * (DataSet.KeyBytes + DataSet.ValueBytes));
    }

    private static double FillPeer(string folder, DataSet data, Stopwatch watch, KeyOrder order, bool appends)
    {
        using LmdbStore store = new(folder, data.Items);
        watch.Start();
        store.Fill(data, order, appends);
        watch.Stop();
        return store.AllocatedToLogical;
    }
}
