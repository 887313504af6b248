namespace Voron.Native;

/// <summary>What lies below an open file.</summary>
/// <param name="FileSystemType">The system's number of the file system's kind (f_type of statfs, for example 0xEF53 for ext4; on Windows
/// the first four letters of its name, the first lowest, or <see cref="RemoteFileSystem"/>).</param>
/// <param name="BlockBytes">Block size of the file system.</param>
/// <param name="TotalBytes">Size of the file system.</param>
/// <param name="AvailableBytes">What a user without privileges may still fill.</param>
/// <param name="Device">Number of the device; together with <paramref name="Inode"/> the identity of the file, whatever its names.</param>
/// <param name="Inode">Number of the file on its device.</param>
/// <param name="Links">Names that lead to the file.</param>
/// <param name="DirectMemoryAlignmentBytes">Alignment of memory in unbuffered transfers; 0 when the system does not tell or the file has
/// none.</param>
/// <param name="DirectOffsetAlignmentBytes">Alignment of offset and length in unbuffered transfers; 0 likewise.</param>
/// <param name="MountType">On Linux the kind of the mount ("ext4", "fuse.sshfs"); else, and where it is not told, empty.</param>
/// <param name="MountOptions">Options of the mount and of its file system, with commas between them; empty likewise.</param>
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
    /// <summary>The kind of any file system on Windows that another machine serves; no name has these letters.</summary>
    public const long RemoteFileSystem = 1;
}
