using System.Diagnostics;
using System.Reflection;
using FluentAssertions;
using Voron.Storage.Tests.Doors;

namespace Voron.Package.Tests;

/// <summary>
/// The packed files and a fresh folder to use them in, once for all tests. Nothing is taken from, or left in, the package cache of the
/// machine: the only source is the folder of packed files.
/// </summary>
public sealed class Workshop : IDisposable
{
    internal static readonly string Root = Metadata("Root");
    private static readonly string Configuration = Metadata("Configuration");

    private readonly TemporaryFolder _folder = new();

    public Workshop()
    {
        foreach (string package in (string[])
        [
            "Storage", "Storage.Akka", "Storage.DataProtection", "Storage.Extensions", "Storage.Orleans", "Storage.Replication",
            "Storage.Replication.Etcd", "Storage.Replication.Nats", "Storage.Typed", "Cli",
        ])
        {
            Pack($"Voron.{package}", Packages);
        }

        Write("nuget.config", $"""
            <configuration>
              <packageSources>
                <clear />
                <add key="packed" value="{Packages}" />
              </packageSources>
            </configuration>
            """);
    }

    internal string Packages => Path.Combine(_folder.Path, "packages");

    internal static string FrontPage => File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "README.md"));

    /// <summary>The only file of the packed ones that has such a name.</summary>
    internal string Packed(string pattern) => Directory.GetFiles(Packages, pattern).Should().ContainSingle().Subject;

    internal string Folder(string name) => Path.Combine(_folder.Path, name);

    internal void Write(string name, string text)
    {
        string path = Folder(name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    /// <summary>Runs dotnet in a folder of the workshop and gives what it said; any other end than 0 fails the test.</summary>
    internal string Dotnet(string folder, params string[] args) => Run("dotnet", Folder(folder), args);

    /// <summary>Runs a program, and gives what it wrote to standard output.</summary>
    internal string Run(string program, string folder, params string[] args)
    {
        ProcessStartInfo start = Surroundings(program, folder, args, Folder("cache"), Folder("home"));
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0, "'{0} {1}' said: {2} {3}", program, string.Join(' ', args), said, errors.Result);
        return said;
    }

    /// <summary>A process that finds packages and tools in these folders alone, and speaks English.</summary>
    internal static ProcessStartInfo Surroundings(string program, string folder, string[] args, string cache, string home) =>
        new(program, args)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment =
            {
                ["NUGET_PACKAGES"] = cache,
                ["DOTNET_CLI_HOME"] = home,
                ["DOTNET_CLI_UI_LANGUAGE"] = "en",
                ["DOTNET_NOLOGO"] = "1",
                ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1",
                ["MSBUILDDISABLENODEREUSE"] = "1",
                ["MSBUILDTERMINALLOGGER"] = "off",
                ["DOTNET_ROOT"] = DotnetFolder(),
            },
        };

    public void Dispose() => _folder.Dispose();

    /// <summary>Where dotnet is: the shared runtime lies three levels below it.</summary>
    private static string DotnetFolder() =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "..", "..", ".."));

    private static string Metadata(string key) => typeof(Workshop).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(attribute => attribute.Key == key).Value!;

    /// <summary>Packs what was built with these tests; an installed SDK is all it needs.</summary>
    internal static void Pack(string project, string folder, params string[] options)
    {
        ProcessStartInfo start = new(
            "dotnet", ["pack", "--no-build", "-c", Configuration, Path.Combine(Root, "src", project), "-o", folder, .. options])
        {
            RedirectStandardOutput = true,
            Environment = { ["MSBUILDDISABLENODEREUSE"] = "1", ["MSBUILDTERMINALLOGGER"] = "off" },
        };
        using Process process = Process.Start(start)!;
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0, said);
        said.Should().NotContain("warning");
    }
}
