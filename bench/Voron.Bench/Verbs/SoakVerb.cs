using System.Globalization;
using Spectre.Console;
using Voron.Bench.Load;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// The same load for many minutes: puts, overwrites, deletes and gets at a fixed rate, a line each minute with latencies, memory and files,
/// and a whole check at the end. What grows from minute to minute is what to look for.
/// </summary>
internal static class SoakVerb
{
    private const int PerSecond = 1_000;
    private const int SecondsOfPart = 60;
    private const int Keys = 500_000;

    internal static int Run(Arguments arguments)
    {
        using BenchRun run = new(arguments);
        DataSet data = run.Data(run.Scaled(Keys, 1_000));
        RandomBytes random = new(arguments.Seed);
        int[] valueOf = new int[data.Items];
        Array.Fill(valueOf, -1);
        using OurStore store = new(run.Workspace.NextDatabase());
        using IStoreWriter writer = store.OpenWriter();
        List<Row> rows = [];
        int count = run.Scaled(PerSecond * SecondsOfPart, 50);
        for (int minute = 1; minute <= arguments.Minutes; minute++)
        {
            OpenLoopResult result = OpenLoop.Real.Run(PerSecond, count, _ => Step(store, writer, data, valueOf, ref random));
            rows.Add(RowOf(minute, count, result, store.Environment.GetReport()));
            AnsiConsole.WriteLine($"{rows[^1].Name}: {rows[^1].Note}");
            JsonReport.Write(arguments.JsonPath, rows);
        }

        RowTable.WriteAll(rows);
        Demands.Count("soak", store.Scan().Entries, valueOf.Count(static value => value >= 0));
        CheckReport report = store.Environment.Check();
        AnsiConsole.WriteLine(report.IsClean ? "the whole check found nothing" : $"the check found {report.Findings.Count} faults");
        return report.IsClean ? 0 : 1;
    }

    private static void Step(OurStore store, IStoreWriter writer, DataSet data, int[] valueOf, ref RandomBytes random)
    {
        int item = random.Below(data.Items);
        int action = random.Below(4);
        if (action == 0)
        {
            using ReadTransaction reader = store.Environment.BeginRead();
            bool found = Fill.OpenTree(reader).TryGet(data.Key(KeyOrder.Random, item), out ReadOnlySpan<byte> value);
            bool right = found == valueOf[item] >= 0 && (!found || value.SequenceEqual(data.Value(valueOf[item])));
            Demands.Count("soak, a get", right ? 1 : 0, 1);
            return;
        }

        writer.Begin();
        if (action == 1 && valueOf[item] >= 0)
        {
            writer.Delete(data.Key(KeyOrder.Random, item));
            valueOf[item] = -1;
        }
        else
        {
            valueOf[item] = random.Below(data.Items);
            writer.Put(data.Key(KeyOrder.Random, item), data.Value(valueOf[item]));
        }

        writer.Commit();
    }

    private static Row RowOf(int minute, int count, OpenLoopResult result, EnvironmentReport report) =>
        Row.Timed($"minute {minute}", OurStore.Name, "sync", count, [result.Seconds]) with
        {
            P50Microseconds = result.FromSchedule.Microseconds(0.5),
            P99Microseconds = result.FromSchedule.Microseconds(0.99),
            P999Microseconds = result.FromSchedule.Microseconds(0.999),
            MaxMicroseconds = result.FromSchedule.Microseconds(1),
            PeakBytes = Machine.AnonymousBytes,
            Note = string.Create(
                CultureInfo.InvariantCulture,
                $"data {report.DataFileBytes >> 20:N0} MiB, journal {report.JournalBytes >> 20:N0} MiB, "
                + $"{report.Checkpoints:N0} checkpoints"),
        };
}
