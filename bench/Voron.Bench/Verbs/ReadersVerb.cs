using System.Diagnostics;
using System.Globalization;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>What snapshots cost: beginning and ending one, by threads, and the headline beside one that is held.</summary>
internal static class ReadersVerb
{
    private const int PairsPerTransaction = 1_000;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group("readers", "snapshots", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        Workspace workspace = run.Workspace;
        int transactions = run.Scaled(run.Arguments.Transactions, 20);
        long pairs = (long)transactions * PairsPerTransaction;
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Durable, transactions);
        DataSet data = run.Data(workload.Items);
        (string Name, long Items, Func<double> Work)[] kinds =
        [
            ("begin and end, 1 thread", pairs, () => Pairs(workspace, pairs, 1)),
            ("begin and end, 2 threads", pairs * 2, () => Pairs(workspace, pairs, 2)),
            ("headline", workload.Items, () => Headline(workspace, workload, data, holds: false)),
            ("headline, a reader held", workload.Items, () => Headline(workspace, workload, data, holds: true)),
        ];
        List<double>[] rounds = [.. kinds.Select(static _ => new List<double>())];
        for (int round = 0; round <= run.Arguments.Rounds; round++)
        {
            for (int kind = 0; kind < kinds.Length; kind++)
            {
                double seconds = kinds[kind].Work();
                if (round > 0)
                {
                    rounds[kind].Add(seconds);
                }
            }

            AnsiConsole.WriteLine(round == 0 ? "warmed up" : $"round {round}/{run.Arguments.Rounds}");
        }

        List<Row> rows = [.. kinds.Select((kind, place) => Row.Timed(kind.Name, Peers.OurStore.Name, "sync", kind.Items, rounds[place]))];
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"pairs per second and thread: {rows[0].ItemsPerSecond:N0} (≥ 10,000,000), of two {rows[1].ItemsPerSecond / 2:N0}; "
            + $"headline with a reader held: {rows[3].ItemsPerSecond / rows[2].ItemsPerSecond:0.00} of without (≥ 0.9)"));
        return rows;
    }

    private static double Pairs(Workspace workspace, long pairs, int threads)
    {
        string folder = workspace.NextDatabase();
        double seconds;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder))
        {
            long start = Stopwatch.GetTimestamp();
            Threads.Run(threads, _ => BeginAndEnd(environment, pairs));
            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        Workspace.Remove(folder);
        return seconds;
    }

    private static void BeginAndEnd(StorageEnvironment environment, long pairs)
    {
        for (long pair = 0; pair < pairs; pair++)
        {
            environment.BeginRead().Dispose();
        }
    }

    /// <summary>The fill, with or without a snapshot of its first tenth that is held to the end and then looked at.</summary>
    private static double Headline(Workspace workspace, FillWorkload workload, DataSet data, bool holds)
    {
        string folder = workspace.NextDatabase();
        double seconds;
        using (StorageEnvironment environment = StorageEnvironment.Open(folder))
        {
            ReadTransaction reader = default;
            long seen = 0;
            long start = Stopwatch.GetTimestamp();
            for (int transaction = 0; transaction < workload.Transactions; transaction++)
            {
                if (holds && transaction == workload.Transactions / 10)
                {
                    reader = environment.BeginRead();
                    seen = (long)transaction * FillWorkload.ItemsPerTransaction;
                }

                Fill.RunTransaction(environment, workload, data, transaction * FillWorkload.ItemsPerTransaction);
            }

            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            if (seen > 0 && Fill.OpenTree(reader).Count != seen)
            {
                throw new VerificationException("the reader that was held sees something else than at its beginning.");
            }

            reader.Dispose();
        }

        Fill.Verify(folder, workload, data);
        Workspace.Remove(folder);
        return seconds;
    }
}
