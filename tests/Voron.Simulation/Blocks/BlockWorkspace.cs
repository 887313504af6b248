using System.Globalization;

namespace Voron.Simulation.Blocks;

/// <summary>
/// A folder in memory for images and mount points. Its name holds the process that made it; what processes that are gone have left, mounts
/// and loop devices included, is removed when the next one begins. A loop device ends with its mount.
/// </summary>
internal sealed class BlockWorkspace : IDisposable
{
    private const string Prefix = "voron-blocks-";
    private static int _number;

    internal BlockWorkspace()
    {
        RemoveStale();
        int number = Interlocked.Increment(ref _number);
        Folder = Path.Combine(Root, string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Environment.ProcessId}-{number}"));
        Directory.CreateDirectory(Folder);
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    internal string Folder { get; }

    private static string Root => Directory.Exists("/dev/shm") ? "/dev/shm" : Path.TrimEndingDirectorySeparator(Path.GetTempPath());

    internal string PathOf(string name) => Path.Combine(Folder, name);

    internal string DirectoryOf(string name) => Directory.CreateDirectory(PathOf(name)).FullName;

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Remove(Folder);
    }

    private static void RemoveStale()
    {
        foreach (string folder in Directory.EnumerateDirectories(Root, Prefix + "*"))
        {
            string process = Path.GetFileName(folder)[Prefix.Length..].Split('-')[0];
            if (!Directory.Exists("/proc/" + process))
            {
                Remove(folder);
            }
        }
    }

    /// <summary>What was mounted last goes first: a file system before the device that it lies on.</summary>
    private static void Remove(string folder)
    {
        foreach (string line in File.ReadAllLines("/proc/self/mounts").Reverse())
        {
            string point = line.Split(' ')[1];
            if (point.StartsWith(folder + "/", StringComparison.Ordinal))
            {
                BlockTools.Try("/usr/bin/umount", "-l", point);
            }
        }

        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private void OnExit(object? sender, EventArgs arguments) => Remove(Folder);
}
