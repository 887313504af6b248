using System.Diagnostics;
using FluentAssertions;
using Voron.Storage.Tests.Doors;

namespace Voron.Package.Tests;

/// <summary>
/// A copy of the sources as a clone has them, with an empty package cache, an empty home and no history: the place where the commands of
/// the documents are run word for word.
/// </summary>
public sealed class Clone : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public Clone()
    {
        string[] parts =
        [
            "src", "samples", "assets", "docs", "*.props", "*.targets", "global.json", "README.md", "CHANGELOG.md", ".editorconfig",
        ];
        foreach (string name in Run("git", Workshop.Root, ["ls-files", "-z", .. parts])
            .Split('\0', StringSplitOptions.RemoveEmptyEntries))
        {
            string target = Path.Combine(Sources, name);
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(Path.Combine(Workshop.Root, name), target);
        }
    }

    internal string Sources => Folder("clone");

    internal string Folder(string name) => Path.Combine(_folder.Path, name);

    internal string Document(string name) => File.ReadAllText(Path.Combine(Sources, name));

    /// <summary>Runs commands of a document from the root of the clone and returns the folder in which they end.</summary>
    internal string RunCommands(string commands)
    {
        string said = Run("bash", Sources, "-euo", "pipefail", "-c", commands + "\necho; pwd");
        return said.TrimEnd().Split('\n')[^1];
    }

    /// <summary>Runs a program with the clone's package cache and home; returns its standard output.</summary>
    internal string Run(string program, string folder, params string[] args)
    {
        using Process process = Begin(program, folder, args);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0, "'{0} {1}' said: {2} {3}", program, string.Join(' ', args), said, errors.Result);
        return said;
    }

    internal Process Begin(string program, string folder, params string[] args)
    {
        ProcessStartInfo start = Workshop.Surroundings(program, folder, args, Folder("cache"), Folder("home"));
        start.Environment["PATH"] = Path.Combine(Folder("home"), ".dotnet", "tools") + Path.PathSeparator + start.Environment["PATH"];
        if (folder == Sources)
        {
            // The build of these tests has shown the sources to the analyzers.
            start.Environment["RunAnalyzers"] = "false";
        }

        return Process.Start(start)!;
    }

    public void Dispose() => _folder.Dispose();
}
