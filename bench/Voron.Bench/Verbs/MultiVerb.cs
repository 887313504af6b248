using System.Globalization;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Multi;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// Multi-value trees beside LMDB's sorted duplicates, with and without a common length: adds in one transaction, room, lookups and walks,
/// and short durable transactions. Ends with what each gate asks for and whether it holds.
/// </summary>
internal static class MultiVerb
{
    private const int AddsOfTransaction = 100;
    private const int MostJournalBytes = 4096;
    private const double MostRoom = 0.85;
    private const double LeastAdds = 0.9;
    private const double LeastTransactions = 4;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
    [
        .. MultiShape.All.Select(shape => new Group("multi", shape.ToString(), own => MeasureShape(own, shape))),
        new Group("multi", $"durable transactions of {AddsOfTransaction} adds", MeasureTransactions),
    ];

    private static MultiContender[] Contenders(BenchRun run)
    {
        List<MultiContender> able = [];
        foreach (MultiContender contender in MultiContender.All().Where(contender => run.Arguments.WantsEngine(contender.Name)))
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

    private static List<Row> MeasureShape(BenchRun run, MultiShape shape)
    {
        MultiShape scaled = shape.Scaled(run.Arguments.Scale);
        PairData data = scaled.Make(run.Arguments.Seed);
        MultiContender[] contenders = Contenders(run);
        for (int round = 0; round <= run.Arguments.Rounds; round++)
        {
            foreach (MultiContender contender in contenders)
            {
                string folder = run.Workspace.NextDatabase();
                MultiRound done;
                using (IMultiStore store = contender.Open(folder, data.ValueBytes))
                {
                    done = MultiRound.Run(store, data);
                    Check(contender, store);
                }

                Workspace.Remove(folder);
                if (round > 0)
                {
                    contender.Rounds.Add(done);
                    Tell($"{round}/{run.Arguments.Rounds}  {contender.Name,-15} {TextOf(done, data)}");
                }
            }
        }

        if (Find(contenders, OurStore.Name) is { } ours)
        {
            Judge(contenders, ours, shape, data);
        }

        return [.. contenders.SelectMany(contender => RowsOf(run, contender, scaled, data))];
    }

    private static List<Row> MeasureTransactions(BenchRun run)
    {
        int transactions = run.Scaled(run.Arguments.Transactions, 20);
        MultiShape shape = new(1_000, Math.Max(1, transactions * AddsOfTransaction / 1_000), 8);
        PairData data = shape.Make(run.Arguments.Seed);
        MultiContender[] contenders = Contenders(run);
        double journalBytes = 0;
        double managedBytes = 0;
        for (int round = 0; round <= run.Arguments.Rounds; round++)
        {
            foreach (MultiContender contender in contenders)
            {
                run.AwaitCalm();
                string folder = run.Workspace.NextDatabase();
                using (IMultiStore store = contender.Open(folder, data.ValueBytes))
                {
                    long before = JournalBytes(store);
                    MultiTransactions done = MultiRound.RunShort(store, data, AddsOfTransaction, run.Arguments.CapSeconds);
                    if (contender.Kind.IsOurs)
                    {
                        journalBytes = (JournalBytes(store) - before) / (double)done.Count;
                        managedBytes = done.ManagedBytes;
                    }

                    Demands.Count("pairs", store.ReadPairs(), (long)done.Count * AddsOfTransaction);
                    Check(contender, store);
                    if (round > 0)
                    {
                        contender.Short.Add(done.PerSecond);
                        Tell(Text($"{round}/{run.Arguments.Rounds}  {contender.Name,-15} {done.Count,6:N0} in {done.Seconds:N2} s, ")
                            + Text($"{done.PerSecond:N0}/s"));
                    }
                }

                Workspace.Remove(folder);
            }
        }

        if (Find(contenders, OurStore.Name) is { } ours)
        {
            double best = contenders.Where(static contender => !contender.Kind.IsOurs)
                .Select(static contender => Spread.Of(contender.Short).Median).DefaultIfEmpty(0).Max();
            double? times = best == 0 ? null : Spread.Of(ours.Short).Median / best;
            Promise.Print("transactions, times the faster LMDB", times, LeastTransactions, false);
            Promise.Print("bytes of journal a transaction", journalBytes, MostJournalBytes, true);
            Promise.Print("managed bytes a transaction", managedBytes, 0, true);
        }

        string name = Text($"{AddsOfTransaction} adds a durable tx");
        return
        [
            .. contenders.Select(contender => Row.Timed(
                name, contender.Name, "sync", 1, contender.Short.Select(static rate => 1 / rate)) with
            {
                Durability = run.DurabilityOf(contender.Kind), Version = contender.Kind.Version,
                BytesPerCommit = contender.Kind.IsOurs ? journalBytes : null,
            }),
        ];
    }

    private static long JournalBytes(IMultiStore store) =>
        store is OurMultiStore ours ? ours.Environment.GetReport().JournalBytesWritten : 0;

    private static void Check(MultiContender contender, IMultiStore store)
    {
        if (store is OurMultiStore ours && ours.Environment.Check() is { IsClean: false } report)
        {
            throw new VerificationException($"{contender.Name}: the whole check found {report.Findings.Count} faults.");
        }
    }

    private static MultiContender? Find(IEnumerable<MultiContender> contenders, string name) =>
        contenders.FirstOrDefault(contender => contender.Name == name);

    private static void Judge(MultiContender[] contenders, MultiContender ours, MultiShape shape, PairData data)
    {
        double adds = ours.Median(static round => round.Adds);
        MultiContender? sorted = Find(contenders, MultiContender.SortedName);
        Promise.Print($"{shape}: adds, times dupsort", sorted?.Median(static round => round.Adds) / adds, LeastAdds, false);
        if (shape.HasRoomGate)
        {
            double room = ours.Median(static round => round.RoomBytes);
            MultiContender? packed = Find(contenders, MultiContender.FixedName);
            Promise.Print($"{shape}: room, of dupfixed's", room / packed?.Median(static round => round.RoomBytes), MostRoom, true);
        }

        // Every pair is met at least three times. What is allocated once, such as by a first call, is nothing of a step.
        double managed = ours.Median(static round => round.ManagedBytes) / (3.0 * data.Pairs);
        Promise.Print($"{shape}: managed bytes a get and step", Math.Round(managed, 2), 0, true);
    }

    private static string TextOf(MultiRound round, PairData data)
    {
        double lookups = Math.Min(MultiRound.MostLookups, data.Pairs);
        return Text($"adds {Rate(round.Adds, data),5:0.00} M/s  {(double)round.RoomBytes / data.Pairs,5:0.0} B a pair  ")
            + Text($"contains {round.Contains / lookups * 1e9,4:0} ns  blocks {Rate(round.Blocks, data),6:0} M/s  ")
            + Text($"values {Rate(round.Values, data),5:0} M/s  pairs {Rate(round.Pairs, data),5:0} M/s");
    }

    private static double Rate(double seconds, PairData data) => seconds == 0 ? 0 : data.Pairs / seconds / 1e6;

    private static IEnumerable<Row> RowsOf(BenchRun run, MultiContender contender, MultiShape shape, PairData data)
    {
        (string Name, long Items, Func<MultiRound, double> Seconds)[] figures =
        [
            ("adds, one tx", data.Pairs, static round => round.Adds),
            ("contains", Math.Min(MultiRound.MostLookups, data.Pairs), static round => round.Contains),
            ("values in blocks", data.Pairs, static round => round.Blocks),
            ("values", data.Pairs, static round => round.Values),
            ("pairs", data.Pairs, static round => round.Pairs),
        ];
        double logicalBytes = (double)data.Pairs * (PairData.KeyBytes + data.ValueBytes);
        foreach ((string name, long items, Func<MultiRound, double> seconds) in figures.Where(
            figure => contender.Rounds.Exists(round => figure.Seconds(round) > 0)))
        {
            yield return Row.Timed($"{name}, {shape}", contender.Name, "sync", items, contender.Rounds.Select(seconds)) with
            {
                Durability = run.DurabilityOf(contender.Kind), Version = contender.Kind.Version,
                AllocatedToLogical = contender.Median(static round => round.RoomBytes) / logicalBytes,
                DiskBytes = contender.Median(static round => round.RoomBytes),
            };
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void Tell(string line) => AnsiConsole.WriteLine(line);
}
