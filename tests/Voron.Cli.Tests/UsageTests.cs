using System.Text;
using System.Text.Json;
using FluentAssertions;
using Spectre.Console;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>What the tool says to a line that it does not understand, and in which form and colours it answers.</summary>
public sealed class UsageTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Theory]
    [InlineData("chekc DB", "'chekc' is not known here. Did you mean 'check'?")]
    [InlineData("ls DB", "'ls' is not known here. Did you mean 'trees'?")]
    [InlineData("rm DB users k", "Did you mean 'delete'?")]
    [InlineData("scan DB users --limti 5", "'--limti' is not known here. Did you mean '--limit'?")]
    [InlineData("check --rtae 5 DB", "'--rtae' is not known here. Did you mean '--rate'?")]
    [InlineData("check --jsn", "'--jsn' is not known here. Did you mean '--json'?")]
    [InlineData("get DB --otu users u0001", "'--otu' is not known here. Did you mean '--out'?")]
    [InlineData("scan DB users --key-type int46", "int64")]
    [InlineData("page DB one", "'one' is not a whole number")]
    public void A_mistyped_word_is_answered_with_the_one_that_was_meant(string line, string expected) =>
        Run(line).Ends(ExitCode.Usage).Error.Should().Contain(expected);

    [Fact]
    public void A_word_that_is_like_no_other_gets_no_suggestion() =>
        Run("frobnicate DB").Ends(ExitCode.Usage).Error.Should().Contain("'frobnicate'").And.NotContain("mean");

    [Fact]
    public void Without_a_verb_a_terminal_shows_all_of_them_and_a_script_gets_an_error()
    {
        Said([], isInteractive: true, ColorSystemSupport.NoColors).Should().Contain("salvage").And.Contain("scan");
        CliRun.Of().Ends(ExitCode.Usage).Output.Should().BeEmpty();
    }

    [Fact]
    public void Arguments_that_look_like_options_come_after_two_dashes()
    {
        Run("put DB notes key --text").Ends(ExitCode.Usage).Error.Should().Contain("after '--'");
        Run("put DB notes key -- --text").Ends(ExitCode.Good);
        Run("get DB notes key").Ends(ExitCode.Good).Output.Should().Be("--text");
    }

    [Theory]
    [InlineData("check DB")]
    [InlineData("stat DB")]
    [InlineData("trees DB")]
    [InlineData("get DB users u0001")]
    [InlineData("scan DB users")]
    [InlineData("page DB 2")]
    [InlineData("journal DB --records")]
    [InlineData("space DB")]
    [InlineData("salvage DB NEW")]
    [InlineData("dump DB --out NEW")]
    [InlineData("load DB")]
    [InlineData("put DB notes k v")]
    [InlineData("delete DB users u0001")]
    [InlineData("backup DB NEW")]
    [InlineData("verify BACKUP")]
    [InlineData("restore NEW BACKUP")]
    public void Every_verb_answers_in_one_JSON_document(string line)
    {
        string backup = _database.Beside("backup");
        CliRun.Of("backup", _database.Path, backup).Ends(ExitCode.Good);
        byte[] dump = Encoding.ASCII.GetBytes("VERSION=3\ndatabase=users\nHEADER=END\n 61\n 62\nDATA=END\n");
        string[] words = [.. Words(line).Select(word => word switch { "NEW" => _database.Beside("new"), "BACKUP" => backup, _ => word })];
        CliRun run = CliRun.Of(dump, [.. words, "--json"]).Ends(ExitCode.Good);
        run.Json.ValueKind.Should().BeOneOf(JsonValueKind.Object, JsonValueKind.Array);
        run.Error.Should().BeEmpty();
        CliRun.Of([.. words, "--json", "--nonsense"]).Ends(ExitCode.Usage).Json.GetProperty("exitCode").GetInt32().Should().Be(2);
    }

    [Fact]
    public void A_terminal_shows_verdicts_and_names_in_colours_and_nothing_else_does()
    {
        foreach (string[] line in (string[][])[["check", _database.Path], ["trees", _database.Path], ["scan", _database.Path, "users"]])
        {
            Said(line, isInteractive: true, ColorSystemSupport.Standard).Should().Contain("\u001b[");
            Said(line, isInteractive: true, ColorSystemSupport.NoColors).Should().NotContain("\u001b");
            Said(line, isInteractive: false, ColorSystemSupport.Standard).Should().NotContain("\u001b", "the output is redirected");
        }
    }

    [Theory]
    [InlineData("NO_COLOR", "1", ColorSystemSupport.NoColors)]
    [InlineData("NO_COLOR", "", ColorSystemSupport.Detect)]
    [InlineData("TERM", "dumb", ColorSystemSupport.NoColors)]
    [InlineData("TERM", "xterm-256color", ColorSystemSupport.Detect)]
    public void The_environment_can_refuse_colours(string name, string value, ColorSystemSupport expected) =>
        Screen.WantedColors(asked => asked == name ? value : null).Should().Be(expected);

    private static string Said(string[] line, bool isInteractive, ColorSystemSupport colors)
    {
        using MemoryStream output = new();
        using StringWriter error = new();
        using Screen screen = new(output, error, isInteractive, showsProgress: false, colors);
        CommandLine.RunAsync(line, screen).GetAwaiter().GetResult().Should().Be(0);
        return Encoding.UTF8.GetString(output.ToArray());
    }

    private CliRun Run(string line) => CliRun.Of(Words(line));

    private string[] Words(string line) => [.. line.Split(' ').Select(word => word == "DB" ? _database.Path : word)];
}
