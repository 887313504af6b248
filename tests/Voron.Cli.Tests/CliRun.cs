using System.Text;
using System.Text.Json;
using FluentAssertions;

namespace Voron.Cli.Tests;

/// <summary>What the tool said and how it ended, run in this process as a script would run it.</summary>
internal sealed record CliRun(ExitCode ExitCode, byte[] Bytes, string Error)
{
    internal string Output => Encoding.UTF8.GetString(Bytes);

    internal string Both => Output + Error;

    internal JsonElement Json => JsonDocument.Parse(Output).RootElement;

    internal static CliRun Of(params string[] args) => Of([], args);

    /// <summary>With bytes that are piped to it.</summary>
    internal static CliRun Of(byte[] input, string[] args)
    {
        using MemoryStream output = new();
        using StringWriter error = new();
        using Screen screen = new(output, error) { Input = new MemoryStream(input) };
        int code = CommandLine.RunAsync(args, screen).GetAwaiter().GetResult();
        return new CliRun((ExitCode)code, output.ToArray(), error.ToString());
    }

    /// <summary>Expects an end, and shows what was said when it is another one.</summary>
    internal CliRun Ends(ExitCode expected)
    {
        ExitCode.Should().Be(expected, "it said '{0}'", Both);
        return this;
    }
}
