using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>What lies below an open file.</summary>
/// <param name="FileSystemType">The system's number of the file system's kind (f_type of statfs, for example 0xEF53 for ext4).</param>
/// <param name="BlockBytes">Block size of the file system.</param>
/// <param name="TotalBytes">Size of the file system.</param>
/// <param name="AvailableBytes">What a user without privileges may still fill.</param>
/// <param name="Device">Number of the device; together with <paramref name="Inode"/> the identity of the file, whatever its names.</param>
/// <param name="Inode">Number of the file on its device.</param>
/// <param name="Links">Names that lead to the file.</param>
/// <param name="DirectMemoryAlignmentBytes">Alignment of memory in unbuffered transfers; 0 when the system does not tell or the file has
/// none.</param>
/// <param name="DirectOffsetAlignmentBytes">Alignment of offset and length in unbuffered transfers; 0 likewise.</param>
public readonly record struct NativeFileFacts(
    long FileSystemType,
    long BlockBytes,
    long TotalBytes,
    long AvailableBytes,
    long Device,
    long Inode,
    int Links,
    int DirectMemoryAlignmentBytes,
    int DirectOffsetAlignmentBytes)
{
    internal static unsafe NativeResult Of(int descriptor, out NativeFileFacts facts)
    {
        facts = default;
        FileSystemStatus system;
        while (FileSystemCall.Invoke(descriptor, &system) != 0)
        {
            NativeResult result = NativeResult.Last();
            if (!Retry.Interrupted(result))
            {
                return result;
            }
        }

        NativeResult asked = Status.OfDescriptor(descriptor, out FileStatus file);
        if (asked.Failed)
        {
            return asked;
        }

        bool tellsAlignment = (file.Mask & FileStatus.WantDirectAlignment) != 0;
        facts = new NativeFileFacts(
            system.Type,
            system.BlockBytes,
            Bytes(system.Blocks, system.BlockBytes),
            Bytes(system.AvailableBlocks, system.BlockBytes),
            ((long)file.DeviceMajor << 32) | file.DeviceMinor,
            (long)file.Inode,
            (int)Math.Min(file.Links, int.MaxValue),
            tellsAlignment ? (int)file.DirectMemoryAlignment : 0,
            tellsAlignment ? (int)file.DirectOffsetAlignment : 0);
        return NativeResult.Success;
    }

    /// <summary>Network file systems report sizes that overflow; those count as "more than enough".</summary>
    private static long Bytes(ulong blocks, long blockBytes) => (long)UInt128.Min((UInt128)blocks * (ulong)blockBytes, long.MaxValue);
}
