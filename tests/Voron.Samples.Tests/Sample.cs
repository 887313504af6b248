using System.Diagnostics;
using System.Reflection;
using FluentAssertions;

namespace Voron.Samples.Tests;

/// <summary>A sample as it was built with these tests.</summary>
internal static class Sample
{
    internal static string Server => Program("Server", "Voron.Samples.Server");

    internal static string Worker => Program("Worker", "Worker");

    internal static string Tables => Program("Tables", "Tables");

    /// <summary>The command line tool, whose page with pictures a browser draws.</summary>
    internal static string Tool => Path.GetFullPath(Program(Path.Combine("..", "src", "Voron.Cli"), "Voron.Cli"));

    /// <summary>The script that starts a cluster.</summary>
    internal static string Cluster => Path.Combine(Metadata("Samples"), "Cluster", "run.sh");

    internal static string Configuration => Metadata("Configuration");

    internal static string QuickStart => Program("QuickStart", "QuickStart");

    /// <summary>Runs a sample to its end in a folder, and gives what it wrote.</summary>
    internal static string Run(string program, string folder, params string[] args)
    {
        ProcessStartInfo start = new("dotnet", [program, .. args])
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0, "it said: {0} {1}", said, errors.Result);
        return said;
    }

    private static string Program(string project, string assembly) => Path.Combine(
        Metadata("Samples"), project, "bin", Metadata("Configuration"), "net10.0", assembly + ".dll");

    private static string Metadata(string key) => typeof(Sample).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(attribute => attribute.Key == key).Value!;
}
