using Spectre.Console;
using Voron.Bench.Reports;

namespace Voron.Bench.Verbs;

/// <summary>Writes docs/results and the README's block from the file of a run; to be started in the root of the repository.</summary>
internal static class ReportVerb
{
    private const string Readme = "README.md";

    internal static int Run(Arguments arguments)
    {
        if (arguments.JsonPath is null || !File.Exists(arguments.JsonPath))
        {
            Console.Error.WriteLine("report needs the file of a run: --json FILE");
            return 2;
        }

        RunContent content = JsonReport.Read(arguments.JsonPath);
        string root = arguments.Directory ?? ".";
        string folder = Path.Combine(root, "docs", "results");
        Directory.CreateDirectory(folder);
        if (!arguments.IsReadmeOnly)
        {
            IReadOnlyList<string> written = new ResultPages(content, folder).Write();
            AnsiConsole.WriteLine($"{written.Count} files written to {folder}");
        }

        string readme = Path.Combine(root, Readme);
        if (ReadmeBlock.Of(content) is { } block && File.Exists(readme))
        {
            File.WriteAllText(Path.Combine(folder, "readme.svg"), ReadmeBlock.ChartOf(content));
            File.WriteAllText(readme, ReadmeBlock.Replace(File.ReadAllText(readme), block));
            AnsiConsole.WriteLine($"{Readme}: the block between its marks is of this run");
        }

        return 0;
    }
}
