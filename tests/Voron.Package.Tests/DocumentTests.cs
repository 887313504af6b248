using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using FluentAssertions;
using Xunit;

namespace Voron.Package.Tests;

/// <summary>
/// The install commands of the documents run word for word with an empty package cache, and the first program of each document compiles and
/// runs as pasted.
/// </summary>
public sealed partial class DocumentTests(Clone clone) : IClassFixture<Clone>
{
    [Fact]
    public void The_front_page_installs_and_its_program_runs()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The commands are for a POSIX shell.");
        string page = clone.Document("README.md");
        string folder = clone.RunCommands(FirstCommands(page));
        RunProgram(page, folder).Should().Be("user:42 = {\"name\":\"Ada\"}");

        string tool = clone.Document("docs/cli.md");
        clone.RunCommands(FirstCommands(tool));
        clone.Run(Path.Combine(clone.Folder("home"), ".dotnet", "tools", "voron"), folder, "check", "./data").Should().StartWith("Sound: ");
    }

    [Fact]
    public void Typed_trees_install_and_their_program_runs()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The commands are for a POSIX shell.");
        string page = clone.Document("docs/typed.md");
        RunProgram(page, clone.RunCommands(FirstCommands(page))).Should().Contain("ada/1: ink").And.Contain("ada/2: paper");
    }

    [Fact]
    public void A_service_installs_starts_and_stops()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The commands are for a POSIX shell.");
        string page = clone.Document("docs/services.md");
        string folder = clone.RunCommands(FirstCommands(page));
        File.WriteAllText(Path.Combine(folder, "Program.cs"), Program().Match(page).Groups["code"].Value);
        File.WriteAllText(Path.Combine(folder, "appsettings.json"), Settings().Match(page).Groups["code"].Value);
        clone.Run("dotnet", folder, "build", "-c", "Release", "-o", "out", "-warnaserror");
        using Process service = clone.Begin("dotnet", folder, Path.Combine("out", Path.GetFileName(folder) + ".dll"));
        List<string> said = [];
        while (service.StandardOutput.ReadLine() is { } line)
        {
            said.Add(line);
            if (line.Contains("Application started", StringComparison.Ordinal))
            {
                clone.Run("kill", folder, "-INT", $"{service.Id}");
            }
        }

        service.WaitForExit();
        service.ExitCode.Should().Be(0, "it said: {0}", string.Join('\n', said));
        said.Should().Contain(static line => line.Contains("Application started", StringComparison.Ordinal));
        File.Exists(Path.Combine(folder, "data", "data.voron")).Should().BeTrue();
    }

    [Fact]
    public void A_newcomer_has_a_server_and_restores_its_backup()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The commands are for a POSIX shell.");
        Assert.SkipUnless(File.Exists("/usr/bin/curl"), "The commands need curl.");
        string commands = Service().Match(clone.Document("docs/getting-started.md")).Groups["code"].Value;
        using (Socket free = new(SocketType.Stream, ProtocolType.Tcp))
        {
            free.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            commands = commands.Replace("5080", $"{((IPEndPoint)free.LocalEndPoint!).Port}", StringComparison.Ordinal);
        }

        string said = clone.Run("bash", clone.Sources, "-euo", "pipefail", "-c", commands);
        said.Should().Contain("Healthy").And.Contain("voron_").And.Contain("{\"name\":\"Ada\"}");
    }

    private static string FirstCommands(string page) => Commands().Match(page).Groups["code"].Value;

    private string RunProgram(string page, string folder)
    {
        File.WriteAllText(Path.Combine(folder, "Program.cs"), Program().Match(page).Groups["code"].Value);
        return clone.Run("dotnet", folder, "run").Trim();
    }

    [GeneratedRegex("```sh\n(?<code>dotnet pack.*?)```", RegexOptions.Singleline)]
    private static partial Regex Commands();

    [GeneratedRegex("```sh\n(?<code>dotnet publish.*?)```", RegexOptions.Singleline)]
    private static partial Regex Service();

    [GeneratedRegex("```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Program();

    [GeneratedRegex("```json\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Settings();
}
