using Spectre.Console;

namespace Voron.Bench.Measuring;

/// <summary>Runs the groups of one verb that are wanted, draws their rows and writes them for machines.</summary>
internal static class GroupRunner
{
    internal static int Run(Arguments arguments, Func<BenchRun, IEnumerable<Group>> groups)
    {
        using BenchRun run = new(arguments);
        List<Row> rows = [];
        foreach (Group group in groups(run).Where(group => arguments.Wants(group.Key)))
        {
            AnsiConsole.WriteLine();
            AnsiConsole.WriteLine(group.Key);
            IReadOnlyList<Row> measured = group.Run(run);
            RowTable.WriteAll(measured);
            rows.AddRange(measured);
            JsonReport.Write(arguments.JsonPath, rows);
        }

        return 0;
    }
}
