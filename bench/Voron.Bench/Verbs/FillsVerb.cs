using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// Fills of one transaction: puts without order, puts in order, bulk load; ours and LMDB's in turn, and what the trees take.
/// </summary>
internal static class FillsVerb
{
    private delegate void FillOf(IStore store, DataSet data);

    internal static int Run(Arguments arguments)
    {
        using BenchRun run = new(arguments);
        DataSet data = run.Data(run.Scaled(arguments.Transactions) * FillWorkload.ItemsPerTransaction);
        (string Name, FillOf Work)[] kinds =
        [
            ("fill rnd, one tx", static (store, data) => Fill(store, data, KeyOrder.Random)),
            ("fill seq, one tx", static (store, data) => Fill(store, data, KeyOrder.Ascending)),
            ("bulk load, one tx", static (store, data) => store.Load(data)),
        ];
        List<Contender> contenders =
        [
            .. from kind in kinds
               from store in (StoreKind[])[StoreKinds.Ours, StoreKinds.Lmdb]
               select new Contender(kind.Name, store.Name, "sync", store.Durability, () => FillOnce(run, store, data, kind.Work))
               {
                   Missing = store.InstallLine,
                   Version = store.Version,
               },
        ];
        AnsiConsole.WriteLine("warming up");
        foreach (Contender contender in contenders.Where(static contender => contender.Missing is null))
        {
            WarmUp.Run(arguments, () => contender.Work());
        }

        List<Row> rows = new Contest(run, ProbeSize.Short).Run(contenders, arguments.Rounds);
        RowTable.WriteReads(rows);
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    private static void Fill(IStore store, DataSet data, KeyOrder order)
    {
        using IStoreWriter writer = store.OpenWriter();
        writer.Begin();
        for (int item = 0; item < data.Items; item++)
        {
            writer.Put(data.Key(order, item), data.Value(item));
        }

        writer.Commit();
        writer.Finish();
    }

    private static Measured FillOnce(BenchRun run, StoreKind kind, DataSet data, FillOf work)
    {
        string folder = run.Workspace.NextDatabase();
        Measured measured;
        using (IStore store = kind.Open(folder))
        {
            using Meter meter = new(folder);
            work(store, data);
            meter.Stop(data.Items);
            double logicalBytes = (double)data.Items * (DataSet.KeyBytes + DataSet.ValueBytes);
            measured = meter.ToMeasured() with { AllocatedToLogical = store.AllocatedBytes / logicalBytes };
            Demands.Whole("fill", store.Scan(), data);
        }

        Workspace.Remove(folder);
        return measured;
    }
}
