using Voron.Native.Mac;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>Directories and the names in them. Paths hold no zero characters, which would cut them short.</summary>
public static class NativeDirectory
{
    /// <summary>Makes one directory, mode 0755 less the umask; its parent must exist and it must not (EEXIST).</summary>
    /// <param name="path">The directory.</param>
    public static NativeResult Create(string path)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Create(path) : UnixDirectory.Create(path);
    }

    /// <summary>Success when the path leads to a directory; ENOTDIR or ENOENT when not.</summary>
    /// <param name="path">The path, symbolic links are followed.</param>
    public static NativeResult Check(string path)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Check(path)
            : OperatingSystem.IsMacOS() ? MacDirectory.Check(path)
            : UnixDirectory.Check(path);
    }

    /// <summary>Makes created, renamed and removed names of the directory durable.</summary>
    /// <param name="path">The directory.</param>
    public static NativeResult Sync(string path)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Sync(path)
            : OperatingSystem.IsMacOS() ? MacDirectory.Sync(path)
            : UnixDirectory.Sync(path);
    }

    /// <summary>Gives a file or directory another name in the same file system, in one step; a file of that name is replaced.</summary>
    /// <param name="from">Present name.</param>
    /// <param name="to">New name.</param>
    public static NativeResult Rename(string from, string to)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Rename(from, to) : UnixDirectory.Rename(from, to);
    }

    /// <summary>Removes the name of a file; its content lives on while the file is open somewhere.</summary>
    /// <param name="path">The file.</param>
    public static NativeResult Delete(string path)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Delete(path) : UnixDirectory.Delete(path);
    }

    /// <summary>Adds the names of what is in the directory and is no directory itself, in no order.</summary>
    /// <param name="path">The directory.</param>
    /// <param name="names">Where the names are added; after a failure some may have been.</param>
    public static NativeResult ListFiles(string path, ICollection<string> names)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(names);
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.ListFiles(path, names)
            : OperatingSystem.IsMacOS() ? MacDirectory.ListFiles(path, names)
            : UnixDirectory.ListFiles(path, names);
    }
}
