using System.Globalization;
using Spectre.Console;
using Voron.Bench.Fixed;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// Fixed-size trees beside an ordered tree with the same entries and LMDB's integer keys: appends, random puts, room, gets, and sums of all
/// values. Ends with what each gate asks for and whether it holds.
/// </summary>
internal static class FixedVerb
{
    private const int Entries = 1_000_000;
    private const int PutsOfTransaction = 100;
    private const double LeastGets = 1.4;
    private const double LeastAppends = 15;
    private const double LeastSum = 1;
    private const double MostRoom = 1.02;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group("fixed", "numbers by numbers", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        FixedData data = new(run.Scaled(Entries, PutsOfTransaction), run.Arguments.Seed);
        List<FixedContender> contenders = Contenders(run);
        double managedPuts = 0;
        List<double> deletes = [];
        for (int round = 0; round <= run.Arguments.Rounds; round++)
        {
            foreach (FixedContender contender in contenders)
            {
                string first = run.Workspace.NextDatabase();
                string second = run.Workspace.NextDatabase();
                FixedRound done;
                using (IFixedStore appended = contender.Open(first))
                using (IFixedStore random = contender.Open(second))
                {
                    done = FixedRound.Run(appended, random, data);
                    if (appended is FixedTreeStore ours)
                    {
                        deletes.Add(FixedRound.Time(() => Demands.Count("deleted", ours.DeleteHalf(data), data.Entries / 2)));

                        // Of half of these, the keys are gone.
                        managedPuts = FixedRound.ManagedOfPuts(ours, data, PutsOfTransaction);
                        Check(ours);
                        Check((FixedTreeStore)random);
                    }
                }

                Workspace.Remove(first);
                Workspace.Remove(second);
                if (round > 0)
                {
                    contender.Rounds.Add(done);
                    Tell($"{round}/{run.Arguments.Rounds}  {contender.Name,-26} {TextOf(done, data)}");
                }
            }
        }

        if (Find(contenders, OurStore.Name) is { } tree)
        {
            Judge(tree, Find(contenders, FixedContender.OrderedName), data);
            Promise.Print("managed bytes of 100 puts", managedPuts, 0, true);
            Tell(Text($"delete of the older half, durable: {Spread.Of(deletes).Median * 1e3:0.0} ms"));
        }

        return [.. contenders.SelectMany(contender => RowsOf(run, contender, data))];
    }

    private static List<FixedContender> Contenders(BenchRun run)
    {
        List<FixedContender> able = [];
        foreach (FixedContender contender in FixedContender.All().Where(contender => run.Arguments.WantsEngine(contender.Name)))
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

        return able;
    }

    private static void Check(FixedTreeStore store)
    {
        if (store.Environment.Check() is { IsClean: false } report)
        {
            throw new VerificationException($"The whole check found {report.Findings.Count} faults.");
        }
    }

    private static FixedContender? Find(IEnumerable<FixedContender> contenders, string name) =>
        contenders.FirstOrDefault(contender => contender.Name == name);

    private static void Judge(FixedContender ours, FixedContender? ordered, FixedData data)
    {
        double bytes = (double)data.Entries * FixedData.EntryBytes;
        double gets = ours.Median(static round => round.Gets);
        Promise.Print("get, times the ordered tree", ordered?.Median(static round => round.Gets) / gets, LeastGets, false);
        Promise.Print("appends, M/s", data.Entries / ours.Median(static round => round.Append) / 1e6, LeastAppends, false);
        Promise.Print("sum in blocks, G values/s", data.Entries / ours.Median(static round => round.Sum) / 1e9, LeastSum, false);
        Promise.Print("room, of the bytes appended", ours.Median(static round => round.AppendedBytes) / bytes, MostRoom, true);

        // What is allocated once, such as by a first call, is nothing of a step.
        double managed = ours.Median(static round => round.ReadManaged) / ((double)FixedRound.ReadsOfEntry * data.Entries);
        Promise.Print("managed bytes a get and step", Math.Round(managed, 2), 0, true);
    }

    private static string TextOf(FixedRound round, FixedData data)
    {
        double gets = Math.Min(FixedRound.MostGets, data.Entries);
        double bytes = (double)data.Entries * FixedData.EntryBytes;
        return Text($"append {Rate(round.Append, data),5:0.0} M/s, {Rate(round.Append + round.AppendCommit, data):0.0} with its commit  ")
            + Text($"room {round.AppendedBytes / bytes:0.000}  get {round.Gets / gets * 1e9,4:0} ns  ")
            + Text($"sum {Rate(round.Sum, data),6:0} M/s  steps {Rate(round.Steps, data),4:0} M/s  ")
            + Text($"random {Rate(round.Put, data),4:0.00} M/s, room {round.PutBytes / bytes:0.000}");
    }

    private static double Rate(double seconds, FixedData data) => data.Entries / seconds / 1e6;

    private static IEnumerable<Row> RowsOf(BenchRun run, FixedContender contender, FixedData data)
    {
        (string Name, long Items, Func<FixedRound, double> Seconds, Func<FixedRound, long> Bytes)[] figures =
        [
            ("append, one tx", data.Entries, static round => round.Append + round.AppendCommit, static round => round.AppendedBytes),
            ("random put, one tx", data.Entries, static round => round.Put, static round => round.PutBytes),
            ("get", Math.Min(FixedRound.MostGets, data.Entries), static round => round.Gets, static round => round.AppendedBytes),
            ("sum of all values", data.Entries, static round => round.Sum, static round => round.AppendedBytes),
            ("all values, one by one", data.Entries, static round => round.Steps, static round => round.AppendedBytes),
        ];
        double bytes = (double)data.Entries * FixedData.EntryBytes;
        foreach ((string name, long items, Func<FixedRound, double> seconds, Func<FixedRound, long> room) in figures)
        {
            yield return Row.Timed(name, contender.Name, "sync", items, contender.Rounds.Select(seconds)) with
            {
                Durability = run.DurabilityOf(contender.Kind), Version = contender.Kind.Version,
                AllocatedToLogical = contender.Median(round => room(round)) / bytes,
            };
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static void Tell(string line) => AnsiConsole.WriteLine(line);
}
