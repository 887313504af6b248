using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Voron.Bench.Measuring;

/// <summary>
/// The block device under a folder, and how many bytes it has written. The kernel counts these for the device, not for a process, so
/// what other processes write to it meanwhile is counted as well. The counter of the process (<c>/proc/self/io</c>) would count a page each
/// time it becomes dirty, also when it is overwritten before it reaches the device.
/// </summary>
internal sealed partial class BlockDevice
{
    /// <summary>What a row says instead of a device's name.</summary>
    internal const string Unknown = "no block device is known under the folder";

    private const int SectorBytes = 512;
    private const int WrittenSectorsField = 6;

    private readonly string _folder;
    private readonly string[] _statistics;

    private BlockDevice(string folder, string name, string[] statistics)
    {
        _folder = folder;
        Name = name;
        _statistics = statistics;
    }

    /// <summary>Its name, for example <c>vda1</c>; several joined by a plus when the file system lies on several.</summary>
    internal string Name { get; }

    /// <summary>
    /// Bytes written to it so far. What the file system still holds in memory is written first: it would be counted for whatever runs next.
    /// </summary>
    internal long WrittenBytes
    {
        get
        {
            using (SafeFileHandle folder = OpenFolder(_folder, 0))
            {
                if (folder.IsInvalid || SyncFileSystem(folder) != 0)
                {
                    throw new IOException($"Cannot sync the file system of '{_folder}': error {Marshal.GetLastPInvokeError()}.");
                }
            }

            return _statistics.Sum(ReadWrittenBytes);
        }
    }

    /// <summary>The device under a folder; null where none is known, as in memory, on a network, or outside Linux.</summary>
    internal static BlockDevice? Under(string folder) =>
        OperatingSystem.IsLinux() ? Under(folder, File.ReadLines("/proc/self/mountinfo"), "/sys") : null;

    /// <summary>The same with the system's mounts and its folder of devices given.</summary>
    internal static BlockDevice? Under(string folder, IEnumerable<string> mounts, string system)
    {
        folder = Path.GetFullPath(folder);
        string inside = folder.TrimEnd('/') + "/";

        // A later mount on the same point hides the earlier one.
        Mount? mount = mounts.Select(Parse)
            .Where(mount => inside.StartsWith(mount.Point.TrimEnd('/') + "/", StringComparison.Ordinal))
            .MaxBy(static mount => (mount.Point.Length, mount.Order));
        if (mount is null)
        {
            return null;
        }

        // Btrfs, for one, has a number that is no device's; its device is the mounted one.
        string top = Path.Combine(system, "dev", "block", mount.Number);
        if (!Directory.Exists(top) && mount.Source.StartsWith("/dev/", StringComparison.Ordinal))
        {
            string? target = File.Exists(mount.Source) ? File.ResolveLinkTarget(mount.Source, returnFinalTarget: true)?.FullName : null;
            top = Path.Combine(system, "class", "block", Path.GetFileName(target ?? mount.Source));
        }

        string[] devices = Directory.Exists(top) ? [.. Counting(top, SiblingsOf(top, system))] : [];
        return devices.Length == 0
            ? null
            : new BlockDevice(
                folder, string.Join('+', devices.Select(NameOf)), [.. devices.Select(static device => Path.Combine(device, "stat"))]);
    }

    /// <summary>
    /// The devices whose counters tell. The topmost device counts what the file system writes; a mapped or joined one that counts
    /// nothing is replaced by those below it.
    /// </summary>
    private static IEnumerable<string> Counting(string top, string[] siblings)
    {
        foreach (string device in siblings.Length > 1 ? siblings : [top])
        {
            string statistics = Path.Combine(device, "stat");
            string below = Path.Combine(device, "slaves");
            if (File.Exists(statistics) && ReadWrittenBytes(statistics) > 0)
            {
                yield return device;
            }
            else if (Directory.Exists(below))
            {
                string[] parts = Directory.GetDirectories(below);
                Array.Sort(parts, StringComparer.Ordinal);
                foreach (string part in parts.SelectMany(part => Counting(part, [])))
                {
                    yield return part;
                }
            }
        }
    }

    /// <summary>All devices of a Btrfs that has this one; none for other file systems.</summary>
    private static string[] SiblingsOf(string device, string system)
    {
        string fileSystems = Path.Combine(system, "fs", "btrfs");
        return Directory.Exists(fileSystems)
            ? Directory.GetDirectories(fileSystems).Select(static one => Path.Combine(one, "devices")).Where(Directory.Exists)
                .Select(Directory.GetDirectories).FirstOrDefault(all => all.Any(one => NameOf(one) == NameOf(device))) ?? []
            : [];
    }

    private static string NameOf(string device) =>
        Path.GetFileName(Directory.ResolveLinkTarget(device, returnFinalTarget: true)?.FullName ?? device);

    private static long ReadWrittenBytes(string statistics)
    {
        string[] fields = File.ReadAllText(statistics).Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        return fields.Length > WrittenSectorsField
            ? long.Parse(fields[WrittenSectorsField], CultureInfo.InvariantCulture) * SectorBytes
            : throw new IOException($"'{statistics}' holds no count of written sectors.");
    }

    // 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/vda1 rw
    private static Mount Parse(string line, int order)
    {
        string[] fields = line.Split(' ');
        int dash = Array.IndexOf(fields, "-");
        return fields.Length > 5 && dash > 0 && dash + 2 < fields.Length
            ? new Mount(fields[2], fields[4].Replace("\\040", " ", StringComparison.Ordinal), fields[dash + 2], order)
            : throw new IOException($"The list of mounts has a line that is none: '{line}'.");
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle OpenFolder(string path, int flags);

    [LibraryImport("libc", EntryPoint = "syncfs", SetLastError = true)]
    private static partial int SyncFileSystem(SafeFileHandle folder);

    private sealed record Mount(string Number, string Point, string Source, int Order);
}
