using System.Diagnostics;
using System.Text.Json;

namespace Voron.Bench.Peers;

/// <summary>
/// Which versions of the peers are here: of Debian's packages as its package tool tells, of NuGet's those that this program was built with.
/// </summary>
internal static class Versions
{
    private static readonly Lazy<Dictionary<string, string>> Packages = new(ReadPackages);

    /// <summary>All of them, and ours.</summary>
    internal static IReadOnlyList<string> All => [.. StoreKinds.All.Where(static kind => kind.InstallLine is null)
        .Select(static kind => kind.Version).Distinct()];

    internal static string OfDebian(string package)
    {
        const string Tool = "/usr/bin/dpkg-query";
        if (!File.Exists(Tool))
        {
            return $"{package}, version unknown";
        }

        ProcessStartInfo start = new(Tool)
        {
            RedirectStandardOutput = true, RedirectStandardError = true, ArgumentList = { "-W", "-f=${Version}", package },
        };
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string version = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        errors.Wait();
        return version.Length == 0 ? $"{package}, version unknown" : $"Debian {package} {version}";
    }

    internal static string OfNuGet(string package) =>
        $"NuGet {package} {Packages.Value.GetValueOrDefault(package, "of unknown version")}";

    /// <summary>The packages that the running program was built with, from the file beside it that lists them.</summary>
    private static Dictionary<string, string> ReadPackages()
    {
        string? file = (AppContext.GetData("APP_CONTEXT_DEPS_FILES") as string)?.Split(Path.PathSeparator, ';')
            .FirstOrDefault(static file => file.StartsWith(AppContext.BaseDirectory, StringComparison.Ordinal));
        if (file is null)
        {
            return [];
        }

        using JsonDocument list = JsonDocument.Parse(File.ReadAllText(file));
        return list.RootElement.GetProperty("libraries").EnumerateObject().Select(static library => library.Name.Split('/'))
            .ToDictionary(static library => library[0], static library => library[1], StringComparer.OrdinalIgnoreCase);
    }
}
