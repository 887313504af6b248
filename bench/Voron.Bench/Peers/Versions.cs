using System.Diagnostics;

namespace Voron.Bench.Peers;

/// <summary>Which versions of the peers are on this machine, as its package tool tells.</summary>
internal static class Versions
{
    private static readonly Lazy<IReadOnlyList<string>> Asked = new(Ask);

    internal static IReadOnlyList<string> OfPeers => Asked.Value;

    private static string[] Ask()
    {
        const string Tool = "/usr/bin/dpkg-query";
        if (!File.Exists(Tool))
        {
            return [];
        }

        ProcessStartInfo start = new(Tool) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.ArgumentList.Add("-W");
        start.ArgumentList.Add("-f=${Package} ${Version}\n");
        foreach (string package in StoreKinds.Peers.Select(static kind => kind.Package!).Distinct())
        {
            start.ArgumentList.Add(package);
        }

        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string[] lines = process.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        process.WaitForExit();
        errors.Wait();
        return lines;
    }
}
