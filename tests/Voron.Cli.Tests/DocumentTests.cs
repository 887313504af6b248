using System.Globalization;
using System.Text.RegularExpressions;
using FluentAssertions;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>docs/cli.md says what the tool does.</summary>
public sealed partial class DocumentTests
{
    private static readonly string Text = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "cli.md"));

    [Fact]
    public void It_lists_the_exit_codes() => ExitCodeRow().Matches(Text)
        .Select(static row => (int.Parse(row.Groups["code"].Value, CultureInfo.InvariantCulture), row.Groups["name"].Value))
        .Should().Equal(Enum.GetValues<ExitCode>().Select(static code => ((int)code, code.ToString())));

    [Fact]
    public void It_lists_the_verbs_and_all_their_options()
    {
        foreach (Match row in VerbRow().Matches(Text))
        {
            string help = CliRun.Of(row.Groups["verb"].Value, "--help").Ends(ExitCode.Good).Output;
            string[] documented = [.. Option().Matches(row.Groups["line"].Value).Select(static option => option.Value)];
            string[] real = [.. Option().Matches(help).Select(static option => option.Value).Distinct()];
            real.Except(["--help", "--json", "--version"]).Should().BeEquivalentTo(documented, "of the verb {0}", row.Groups["verb"].Value);
        }

        VerbRow().Count(Text).Should().Be(19);
    }

    [GeneratedRegex(@"^\| (?<code>\d+) \| (?<name>\w+) \|", RegexOptions.Multiline)]
    private static partial Regex ExitCodeRow();

    [GeneratedRegex(@"^\| `(?<line>voron (?<verb>\w+) (FOLDER|FILE)[^`]*)`", RegexOptions.Multiline)]
    private static partial Regex VerbRow();

    [GeneratedRegex("--[a-z]+(-[a-z]+)*")]
    private static partial Regex Option();
}
