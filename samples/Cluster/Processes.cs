using System.Diagnostics;
using System.Globalization;

namespace Voron.Samples.Cluster;

/// <summary>
/// Processes of this machine, found by their command lines, whichever process has started them.
/// </summary>
internal static class Processes
{
    /// <summary>Starts a process that writes where this one does.</summary>
    internal static Process Start(string[] words) => Process.Start(new ProcessStartInfo(words[0], words[1..]) { UseShellExecute = false })!;

    /// <summary>The number of the process that was started so; 0 if there is none.</summary>
    internal static int Find(string[] words)
    {
        string wanted = string.Join('\0', words[1..]) + '\0';
        foreach (string folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out int pid)
                && TryRead(folder, "cmdline") is { } line
                && line.IndexOf('\0') is var end and >= 0
                && line[(end + 1)..] == wanted)
            {
                return pid;
            }
        }

        return 0;
    }

    /// <summary>Whether the process stands still.</summary>
    internal static bool IsStopped(int pid) =>
        TryRead(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}"), "stat") is { } line
        && line.LastIndexOf(')') is var end and >= 0
        && line[end + 2] == 'T';

    /// <summary>kill -9, which a process that stands still obeys too.</summary>
    internal static void Kill(int pid)
    {
        try
        {
            using Process process = Process.GetProcessById(pid);
            process.Kill();
        }
        catch (ArgumentException)
        {
            // It has ended by itself.
        }
    }

    /// <summary>The program of this name.</summary>
    internal static string Program(string name, string package) => (Environment.GetEnvironmentVariable("PATH") ?? string.Empty)
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Append("/usr/sbin")
        .Select(folder => Path.GetFullPath(Path.Combine(folder, name)))
        .FirstOrDefault(File.Exists) ?? throw new FileNotFoundException($"{name} is not installed: apt-get install {package}");

    private static string? TryRead(string folder, string file)
    {
        try
        {
            return File.ReadAllText(Path.Combine(folder, file));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
