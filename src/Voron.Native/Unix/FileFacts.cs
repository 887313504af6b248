namespace Voron.Native.Unix;

/// <summary>What statfs(2), statx(2) and the table of mounts tell of an open file or directory.</summary>
internal static class FileFacts
{
    internal static unsafe NativeResult Of(int descriptor, out NativeFileFacts facts)
    {
        facts = default;
        FileSystemStatus system;
        while (LibC.Fstatfs(descriptor, &system) != 0)
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

        (string type, string options) = Mounts.Of(file);
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
            tellsAlignment ? (int)file.DirectOffsetAlignment : 0,
            type,
            options);
        return NativeResult.Success;
    }

    /// <summary>Network file systems report sizes that overflow; those count as "more than enough".</summary>
    internal static long Bytes(ulong blocks, long blockBytes) => (long)UInt128.Min((UInt128)blocks * (ulong)blockBytes, long.MaxValue);
}
