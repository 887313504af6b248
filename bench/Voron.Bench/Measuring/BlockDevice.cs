using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Voron.Bench.Measuring;

/// <summary>
/// The block device under a folder, and how many bytes it has read and written. The kernel counts these for the device, not for a process,
/// so what other processes do with it meanwhile is counted as well. The counter of the process (<c>/proc/self/io</c>) would count a page
/// each time it becomes dirty, also when it is overwritten before it reaches the device.
/// </summary>
internal sealed partial class BlockDevice
{
    /// <summary>What a row says instead of a device's name.</summary>
    internal const string Unknown = "no block device is known under the folder";

    private const int SectorBytes = 512;
    private const int ReadSectorsField = 2;
    private const int WrittenSectorsField = 6;

    private readonly string _folder;
    private readonly string[] _statistics;

    private BlockDevice(string folder, string[] devices)
    {
        _folder = folder;
        Name = string.Join('+', devices.Select(NameOf));
        _statistics = [.. devices.Select(static device => Path.Combine(device, "stat"))];
        ReadAheadKibibytes = devices.Select(ReadAheadOf).FirstOrDefault();
    }

    /// <summary>
    /// How much the system reads at once around what a process asks for, where no advice says otherwise; null where it does not tell.
    /// </summary>
    internal int? ReadAheadKibibytes { get; }

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

            return WrittenBytesByNow;
        }
    }

    /// <summary>
    /// The same without what the file system still holds in memory: for looks in the middle of a run, which a sync would disturb.
    /// </summary>
    internal long WrittenBytesByNow => _statistics.Sum(static statistics => CountedBytes(statistics, WrittenSectorsField));

    /// <summary>Bytes read from it so far.</summary>
    internal long BytesRead => _statistics.Sum(static statistics => CountedBytes(statistics, ReadSectorsField));

    /// <summary>The device under a folder; null where none is known, as in memory, on a network, or outside Linux.</summary>
    internal static BlockDevice? Under(string folder) =>
        OperatingSystem.IsLinux() ? Under(folder, File.ReadLines(Mount.List), "/sys") : null;

    /// <summary>The same with the system's mounts and its folder of devices given.</summary>
    internal static BlockDevice? Under(string folder, IEnumerable<string> mounts, string system)
    {
        folder = Path.GetFullPath(folder);
        string inside = folder.TrimEnd('/') + "/";

        // A later mount on the same point hides the earlier one.
        Mount? mount = mounts.Select(Mount.Parse)
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
        return devices.Length == 0 ? null : new BlockDevice(folder, devices);
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
            if (File.Exists(statistics) && CountedBytes(statistics, WrittenSectorsField) > 0)
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

    /// <summary>A partition has the queue of its disk, the folder around its own.</summary>
    private static int? ReadAheadOf(string device)
    {
        string real = Directory.ResolveLinkTarget(device, returnFinalTarget: true)?.FullName ?? device;
        string? file = new[] { real, Path.GetDirectoryName(real)! }.Select(static folder => Path.Combine(folder, "queue", "read_ahead_kb"))
            .FirstOrDefault(File.Exists);
        return file is not null && int.TryParse(File.ReadAllText(file), CultureInfo.InvariantCulture, out int kibibytes) ? kibibytes : null;
    }

    private static long CountedBytes(string statistics, int field)
    {
        string[] fields = File.ReadAllText(statistics).Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        return fields.Length > field
            ? long.Parse(fields[field], CultureInfo.InvariantCulture) * SectorBytes
            : throw new IOException($"'{statistics}' holds no counts of sectors.");
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle OpenFolder(string path, int flags);

    [LibraryImport("libc", EntryPoint = "syncfs", SetLastError = true)]
    private static partial int SyncFileSystem(SafeFileHandle folder);
}
