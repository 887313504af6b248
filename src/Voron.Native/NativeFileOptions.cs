namespace Voron.Native;

/// <summary>
/// How a file is opened. Without <see cref="ReadOnly"/> it is opened for reading and writing; it is never truncated, and no child process
/// inherits it.
/// </summary>
[Flags]
public enum NativeFileOptions
{
    /// <summary>An existing file, for reading and writing, through the page cache.</summary>
    None = 0,

    /// <summary>Create it, with mode 0644 less the umask, when it does not exist.</summary>
    Create = 1,

    /// <summary>For reading only.</summary>
    ReadOnly = 2,

    /// <summary>
    /// Past the page cache (O_DIRECT). Where the file system refuses, the file is opened through the cache and <see
    /// cref="NativeFile.IsDirect"/> is false.
    /// </summary>
    Direct = 4,

    /// <summary>A write returns when it is on the device with all that is needed to read it back (O_DSYNC).</summary>
    DataSync = 8,
}
