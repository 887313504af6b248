namespace Voron.Bench.Measuring;

/// <summary>A line of the system's list of mounts.</summary>
/// <param name="Number">Major and minor number of its device.</param>
/// <param name="Root">The folder of the file system that is mounted; another one than <c>/</c> within a container.</param>
/// <param name="Point">Where it is mounted.</param>
/// <param name="Kind">The kind of file system.</param>
/// <param name="Source">Its device, or what stands for one.</param>
/// <param name="Settings">Of the file system.</param>
/// <param name="Order">A later mount on the same point hides the earlier one.</param>
internal sealed record Mount(string Number, string Root, string Point, string Kind, string Source, string[] Settings, int Order)
{
    /// <summary>Where the system lists the mounts that a process sees.</summary>
    internal const string List = "/proc/self/mountinfo";

    // 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/vda1 rw
    internal static Mount Parse(string line, int order)
    {
        string[] fields = line.Split(' ');
        int dash = Array.IndexOf(fields, "-");
        return fields.Length > 5 && dash > 0 && dash + 2 < fields.Length
            ? new Mount(
                fields[2], fields[3], fields[4].Replace("\\040", " ", StringComparison.Ordinal), fields[dash + 1], fields[dash + 2],
                fields[^1].Split(','), order)
            : throw new IOException($"The list of mounts has a line that is none: '{line}'.");
    }
}
