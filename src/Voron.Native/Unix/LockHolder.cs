using System.Globalization;
using System.Text;

namespace Voron.Native.Unix;

/// <summary>
/// Finds the process behind a lock that belongs to an open file: the kernel names none when asked for the lock itself, but lists it with
/// the descriptors of the process.
/// </summary>
internal static class LockHolder
{
    private const string Processes = "/proc";
    private const string LockLine = "lock:";

    /// <summary>
    /// The id of a process that has the file open and locked, or 0. Processes of other users and containers are not seen.
    /// </summary>
    internal static int Find(in FileStatus file)
    {
        foreach (string name in NamesIn(Processes, Directory.EnumerateDirectories))
        {
            if (!int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out int process))
            {
                continue;
            }

            foreach (string descriptor in NamesIn($"{Processes}/{name}/fdinfo", Directory.EnumerateFiles))
            {
                if (IsSame(file, $"{Processes}/{name}/fd/{descriptor}") && IsLocked($"{Processes}/{name}/fdinfo/{descriptor}"))
                {
                    return process;
                }
            }
        }

        return 0;
    }

    private static bool IsSame(in FileStatus file, string link)
    {
        byte[] path = [.. Encoding.UTF8.GetBytes(link), 0];
        return !Status.OfName(NativeDirectory.Working, path, out FileStatus found).Failed
            && (found.Inode, found.DeviceMajor, found.DeviceMinor) == (file.Inode, file.DeviceMajor, file.DeviceMinor);
    }

    private static bool IsLocked(string descriptor)
    {
        try
        {
            return File.ReadAllText(descriptor).Contains(LockLine, StringComparison.Ordinal);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>What ends meanwhile, or may not be looked into, has none.</summary>
    private static string[] NamesIn(string directory, Func<string, IEnumerable<string>> list)
    {
        try
        {
            return [.. list(directory).Select(static path => Path.GetFileName(path))];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
