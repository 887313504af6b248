namespace Voron.Native;

/// <summary>The file system, space, identity and alignment of an open file.</summary>
/// <param name="FileSystemType">The system's number for the kind of file system (f_type of statfs, for example 0xEF53 for ext4; on Windows
/// the first four letters of its name, the first letter in the lowest byte, or <see cref="RemoteFileSystem"/>).</param>
/// <param name="BlockBytes">Block size of the file system in bytes.</param>
/// <param name="TotalBytes">Size of the file system in bytes.</param>
/// <param name="AvailableBytes">Free space in bytes for a user without privileges.</param>
/// <param name="Device">Number of the device; together with <paramref name="Inode"/> it identifies the file, whatever its names.</param>
/// <param name="Inode">Number of the file on its device.</param>
/// <param name="Links">Number of names (hard links) of the file.</param>
/// <param name="DirectMemoryAlignmentBytes">Alignment of memory in unbuffered transfers; 0 if the system does not tell or the file has
/// none.</param>
/// <param name="DirectOffsetAlignmentBytes">Alignment of offset and length in unbuffered transfers; 0 likewise.</param>
/// <param name="MountType">On Linux the kind of the mount ("ext4", "fuse.sshfs"); empty on other systems or if unknown.</param>
/// <param name="MountOptions">Options of the mount and of its file system, separated by commas; empty likewise.</param>
public readonly record struct NativeFileFacts(
    long FileSystemType,
    long BlockBytes,
    long TotalBytes,
    long AvailableBytes,
    long Device,
    long Inode,
    int Links,
    int DirectMemoryAlignmentBytes,
    int DirectOffsetAlignmentBytes,
    string MountType,
    string MountOptions)
{
    /// <summary>The kind of any file system on Windows that is served by another machine; no name has these letters.</summary>
    public const long RemoteFileSystem = 1;
}
