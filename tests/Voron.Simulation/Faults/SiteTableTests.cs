using System.Diagnostics;
using System.Globalization;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>
/// Every call of the disk seam and every request for native memory in the engine fails at least once, and is answered well.
/// </summary>
[Trait("Lane", "Sites")]
public class SiteTableTests(ITestOutputHelper output)
{
    private const string ReportVariable = "VORON_SITES_REPORT";

    /// <summary>
    /// The sweep itself runs in a second process, in which the compiler inlines nothing. VORON_SITE takes a part of a site's name and
    /// sweeps only those; VORON_SITES is how many scenarios each fault is tried in.
    /// </summary>
    [Fact]
    public void Every_call_site_fails_and_is_answered_well()
    {
        if (Environment.GetEnvironmentVariable(ReportVariable) is { } path)
        {
            int scenarios = int.Parse(Environment.GetEnvironmentVariable("VORON_SITES") ?? "1", CultureInfo.InvariantCulture);
            File.WriteAllText(path, new SiteSweep(scenarios).Run(Environment.GetEnvironmentVariable("VORON_SITE")));
            return;
        }

        string report = Path.GetTempFileName();
        try
        {
            string said = RunAlone(report);
            string found = File.ReadAllText(report);
            output.WriteLine(found);
            found.Should().StartWith("good", "(again: VORON_SITE='part of a name' {0}) {1}", CommandLine, said);
        }
        finally
        {
            File.Delete(report);
        }
    }

    private static string CommandLine => "dotnet test -c Release tests/Voron.Simulation --filter Lane=Sites";

    private static string RunAlone(string report)
    {
        ProcessStartInfo start = new("dotnet", [typeof(SiteTableTests).Assembly.Location, "-class", typeof(SiteTableTests).FullName!])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { [ReportVariable] = report, ["DOTNET_JITMinOpts"] = "1" },
        };
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? string.Empty : $"exit code {process.ExitCode}: {said} {errors.Result}";
    }
}
