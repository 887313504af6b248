namespace Voron.Simulation;

/// <summary>
/// Blocks that the device can read no more, until they are written as a whole: reads fail, and a touch of a map there finds bytes that
/// pass no checksum, because in a real map it could not be survived.
/// </summary>
internal static class SimUnreadable
{
    internal static void MakeUnreadable(this SimDisk disk, string path, long offset)
    {
        lock (disk.Gate)
        {
            SimInode inode = disk.Find(path) ?? throw Throw.NoSuchFile(path);
            inode.MakeUnreadable(offset / SimContent.BlockBytes);
            disk.Changed();
        }
    }

    /// <summary>Whether all of a range of a file can be read.</summary>
    internal static bool CanRead(this SimDisk disk, string path, long offset, long bytes)
    {
        lock (disk.Gate)
        {
            return disk.Find(path)?.CanRead(offset, bytes) ?? true;
        }
    }
}
