using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// Reasons to doubt that a sync of a file can keep its promise, from what is below the file. This is a list of known problems, not a
/// proof: what is not on it may be as bad.
/// </summary>
internal static class DurabilityDoubt
{
    private const long Fuse = 0x65735546;

    /// <summary>File system numbers of linux/magic.h.</summary>
    private static readonly Dictionary<long, string> InMemory = new() { [0x0102_1994] = "tmpfs", [0x8584_58F6] = "ramfs" };

    /// <summary>Network file systems; the last number is <see cref="NativeFileFacts.RemoteFileSystem"/> on Windows.</summary>
    private static readonly Dictionary<long, string> OverNetwork = new()
    {
        [0x6969] = "nfs",
        [0xFF53_4D42] = "cifs",
        [0xFE53_4D42] = "smb2",
        [0x517B] = "smb",
        [0x0102_1997] = "9p",
        [0x00C3_6400] = "ceph",
        [0x5346_414F] = "afs",
        [0x0BD0_0BD0] = "lustre",
        [0x786F_4256] = "vboxsf",
        [NativeFileFacts.RemoteFileSystem] = "remote",
    };

    /// <summary>Returns the first reason to doubt that synced data is durable, as the end of a sentence; null if none is known.</summary>
    internal static string? Of(in NativeFileFacts facts)
    {
        string[] options = facts.MountOptions.Split(',');
        if (facts.Links > 1)
        {
            return $"its data file has {facts.Links} names (hard links), and only under one of them its journal is found";
        }

        // On some processors the system sign-extends a 32-bit number.
        long system = (uint)facts.FileSystemType;
        if (InMemory.TryGetValue(system, out string? memory))
        {
            return $"it lies in memory ({memory}), which a restart of the system clears";
        }

        if (OverNetwork.TryGetValue(system, out string? network))
        {
            return $"it lies on a network file system ({network}), where neither locks nor maps nor syncs can be trusted";
        }

        if (system == Fuse && facts.MountType != "fuseblk")
        {
            return $"its file system is a program ({facts.MountType}), and what that does with a sync is not known";
        }

        string? lax = Array.Find(
            options, static option => option is "volatile" or "fsync=volatile" or "nobarrier" or "barrier=0" or "barrier=none");
        return lax is null ? null : $"its file system ({facts.MountType}) is mounted with '{lax}', so syncs do not reach the device";
    }
}
