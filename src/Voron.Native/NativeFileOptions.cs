namespace Voron.Native;

/// <summary>
/// Options for opening a file. Without <see cref="ReadOnly"/> it is opened for reading and writing; it is never truncated, and child
/// processes do not inherit it.
/// </summary>
[Flags]
public enum NativeFileOptions
{
    /// <summary>Open an existing file for reading and writing, through the page cache.</summary>
    None = 0,

    /// <summary>Create the file, with mode 0644 less the umask, if it does not exist.</summary>
    Create = 1,

    /// <summary>Open for reading only.</summary>
    ReadOnly = 2,

    /// <summary>
    /// Bypass the page cache (O_DIRECT). If the file system refuses, the file is opened through the cache and
    /// <see cref="NativeFile.IsDirect"/> is false.
    /// </summary>
    Direct = 4,

    /// <summary>A write returns when its data, and all metadata needed to read it back, are on the device (O_DSYNC).</summary>
    DataSync = 8,
}
