using System.Diagnostics;
using System.Globalization;
using Voron.Bench.Measuring;

namespace Voron.Bench.Cold;

/// <summary>
/// A control group of Linux, of either version, that limits the memory of the processes in it: what they allocate, and what the system
/// caches of the files that they read. It lies within the group of this process, or as near above it as the system allows.
/// </summary>
internal sealed class MemoryGroup : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly string _folder;

    private MemoryGroup(string folder, string description)
    {
        _folder = folder;
        Description = description;
        Console.CancelKeyPress += Interrupt;
    }

    /// <summary>Its version and limit, for a row.</summary>
    internal string Description { get; }

    /// <summary>Makes one; null where the system has none that this process may make.</summary>
    internal static MemoryGroup? TryMake(long bytes) => OperatingSystem.IsLinux()
        ? Parents(File.ReadLines("/proc/self/cgroup"), File.ReadLines(Mount.List))
            .Select(parent => TryMake(parent.Folder, parent.Version, bytes)).FirstOrDefault(static group => group is not null)
        : null;

    /// <summary>
    /// The groups that one could be made in, the nearest first. In version 2 a group that has processes passes no memory on to groups
    /// within it, so that those above it are tried as well.
    /// </summary>
    /// <param name="groups">The groups of this process, as the system lists them.</param>
    /// <param name="mounts">The mounts that it sees.</param>
    internal static IEnumerable<(string Folder, int Version)> Parents(IEnumerable<string> groups, IEnumerable<string> mounts)
    {
        Mount[] all = [.. mounts.Select(Mount.Parse)];
        foreach (string[] group in groups.Select(static line => line.Split(':', 3)).Where(static fields => fields.Length == 3))
        {
            int version = group[1].Length == 0 ? 2 : 1;
            bool hasMemory = version == 2 || group[1].Split(',').Contains("memory");
            Mount? mount = !hasMemory ? null : all.LastOrDefault(mount => version == 2
                ? mount.Kind == "cgroup2" : mount.Kind == "cgroup" && mount.Settings.Contains("memory"));
            for (string? folder = mount is null ? null : FolderOf(group[2], mount);
                folder is not null && (folder + '/').StartsWith(mount!.Point + '/', StringComparison.Ordinal);
                folder = Path.GetDirectoryName(folder))
            {
                yield return (folder, version);
            }
        }
    }

    /// <summary>
    /// The command of a process that is in the group from its first instruction on: a runtime asks for its limit only then.
    /// </summary>
    internal string[] Enter(IReadOnlyList<string> command) =>
        ["/bin/sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", Path.Combine(_folder, "cgroup.procs"), .. command];

    /// <summary>A group is busy until the system has done away with the last process in it.</summary>
    public void Dispose()
    {
        Console.CancelKeyPress -= Interrupt;
        long start = Stopwatch.GetTimestamp();
        while (!TryRemove(_folder) && Stopwatch.GetElapsedTime(start) < Patience)
        {
            Thread.Sleep(10);
        }
    }

    /// <summary>A container may be shown only a part of the groups; what lies outside of it counts as its topmost one.</summary>
    private static string FolderOf(string path, Mount mount)
    {
        string root = mount.Root.TrimEnd('/');
        bool isInside = (path + '/').StartsWith(root + '/', StringComparison.Ordinal) && !path.Contains("..", StringComparison.Ordinal);
        return (mount.Point + (isInside ? path[root.Length..] : string.Empty)).TrimEnd('/');
    }

    private static MemoryGroup? TryMake(string parent, int version, long bytes)
    {
        string folder = Path.Combine(parent, "voron-bench-" + Path.GetRandomFileName());
        (string limit, string swap) = version == 2
            ? ("memory.max", "memory.swap.max") : ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
        string text = bytes.ToString(CultureInfo.InvariantCulture);
        try
        {
            Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, limit), text);
            if (File.Exists(Path.Combine(folder, swap)))
            {
                File.WriteAllText(Path.Combine(folder, swap), version == 2 ? "0" : text);
            }
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            TryRemove(folder);
            return null;
        }

        MemoryGroup group = new(folder, $"a control group (version {version}) with {bytes >> 20:N0} MiB");
        if (group.LetsIn())
        {
            return group;
        }

        group.Dispose();
        return null;
    }

    /// <summary>An interrupt ends the process without unwinding, and those in the group with it.</summary>
    private void Interrupt(object? sender, ConsoleCancelEventArgs arguments) => Dispose();

    private static bool TryRemove(string folder)
    {
        try
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder);
            }

            return true;
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>To make a group is one right, to move a process into it another.</summary>
    private bool LetsIn()
    {
        string[] command = Enter(["true"]);
        using Process process = Process.Start(new ProcessStartInfo(command[0], command.Skip(1)) { RedirectStandardError = true })!;
        process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
