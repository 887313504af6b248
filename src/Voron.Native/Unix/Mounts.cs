using System.Globalization;

namespace Voron.Native.Unix;

/// <summary>What the kernel's table of mounts says of one of them; see proc_pid_mountinfo(5).</summary>
internal static class Mounts
{
    private const string Table = "/proc/self/mountinfo";
    private const int DeviceField = 2;
    private const int OptionsField = 5;

    /// <summary>Kind and options of the mount that a file is on; empty where the table cannot be read.</summary>
    internal static (string Type, string Options) Of(in FileStatus file)
    {
        string mount = (file.Mask & FileStatus.WantMount) != 0 ? file.Mount.ToString(CultureInfo.InvariantCulture) : string.Empty;
        try
        {
            return Find(File.ReadAllLines(Table), mount, $"{file.DeviceMajor}:{file.DeviceMinor}");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return (string.Empty, string.Empty);
        }
    }

    /// <summary>Looks in the lines of the table for a mount by its number or, where that is not known, by its device.</summary>
    internal static (string Type, string Options) Find(IEnumerable<string> lines, string mount, string device)
    {
        foreach (string line in lines)
        {
            // 36 35 98:0 /root /place rw,noatime master:1 - ext4 /dev/sda rw,barrier=0
            string[] fields = line.Split(' ');
            int end = Array.IndexOf(fields, "-");
            if (end > OptionsField && end + 3 < fields.Length && (mount.Length > 0 ? fields[0] == mount : fields[DeviceField] == device))
            {
                return (fields[end + 1], $"{fields[OptionsField]},{fields[end + 3]}");
            }
        }

        return (string.Empty, string.Empty);
    }
}
