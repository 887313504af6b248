using System.Runtime.InteropServices;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// An open directory, and operations on the names in it. It remains the same directory even if its path later leads elsewhere: on Unix the
/// descriptor follows the directory when it is moved; on Windows it cannot be moved while it is open, and if a link or a mount on its path
/// redirects the path to another directory, calls fail with <see cref="WindowsError.FileInvalid"/>. Names must not contain zero characters,
/// which would cut them short. Several threads may call at once; a call after dispose throws.
/// </summary>
public sealed class NativeDirectory : SafeHandle
{
    private const int LinuxWorking = -100;
    private const int MacWorking = -2;

    private readonly bool _isOpen;

    private NativeDirectory(nint handle, string path, bool isOpen)
        : base(nint.MinValue, isOpen)
    {
        SetHandle(handle);
        Path = path;
        _isOpen = isOpen;
        if (isOpen)
        {
            NativeCounts.AddFiles(1);
        }
    }

    /// <summary>The working directory of the process. A name that is a full path is used as it is.</summary>
    public static NativeDirectory Working { get; } =
        new(OperatingSystem.IsMacOS() ? MacWorking : LinuxWorking, string.Empty, isOpen: false);

    /// <summary>The path with which the directory was opened.</summary>
    public string Path { get; }

    /// <inheritdoc/>
    public override bool IsInvalid => false;

    /// <summary>Opens a directory in this one.</summary>
    /// <param name="name">A name in this directory, or a path; symbolic links are followed.</param>
    /// <param name="directory">The open directory, or null if the call failed.</param>
    public NativeResult Open(string name, out NativeDirectory? directory)
    {
        NativePlatform.Require();
        nint handle;
        NativeResult opened;
        if (OperatingSystem.IsWindows())
        {
            opened = WindowsDirectory.Open(this, name, out handle);
        }
        else
        {
            opened = UnixDirectory.Open(this, name, out int descriptor);
            handle = descriptor;
        }

        directory = opened.Failed ? null : new NativeDirectory(handle, PathOf(name), isOpen: true);
        return opened;
    }

    /// <summary>Creates a directory with mode 0755 less the umask. Its parent must exist; the directory must not (EEXIST).</summary>
    /// <param name="name">A name in this directory, or a path.</param>
    public NativeResult Create(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Create(this, name) : UnixDirectory.Create(this, name);
    }

    /// <summary>Checks that a name leads to a directory. Fails with ENOTDIR or ENOENT if not.</summary>
    /// <param name="name">A name in this directory, or a path; symbolic links are followed.</param>
    public NativeResult Check(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Check(this, name) : UnixDirectory.Check(this, name);
    }

    /// <summary>Makes created, renamed and removed names of this directory durable.</summary>
    public NativeResult Sync() => OperatingSystem.IsWindows() ? WindowsDirectory.Sync(this) : UnixDirectory.Sync(this);

    /// <summary>Renames a file or directory atomically within one file system; an existing file with the new name is replaced.</summary>
    /// <param name="from">The current name in this directory, or a path.</param>
    /// <param name="target">The directory of the new name; may be this one.</param>
    /// <param name="to">The new name in the target, or a path.</param>
    public NativeResult Rename(string from, NativeDirectory target, string to)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows()
            ? WindowsDirectory.Rename(this, from, target, to)
            : UnixDirectory.Rename(this, from, target, to);
    }

    /// <summary>Removes the name of a file; its content remains as long as the file is open in any process.</summary>
    /// <param name="name">A name in this directory, or a path.</param>
    public NativeResult Delete(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Delete(this, name) : UnixDirectory.Delete(this, name);
    }

    /// <summary>Lists the names in this directory that are not directories, in no particular order.</summary>
    /// <param name="names">The collection to add the names to; after a failure some may have been added.</param>
    public NativeResult ListFiles(ICollection<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        return OperatingSystem.IsWindows() ? WindowsDirectory.ListFiles(this, names) : UnixDirectory.ListFiles(this, names);
    }

    /// <summary>Queries the file system and device that hold this directory.</summary>
    /// <param name="facts">The result.</param>
    public NativeResult Query(out NativeFileFacts facts)
    {
        bool isHeld = false;
        try
        {
            DangerousAddRef(ref isHeld);
            return OperatingSystem.IsWindows() ? WindowsFacts.Of(handle, out facts)
                : OperatingSystem.IsMacOS() ? Mac.MacFile.Query((int)handle, out facts)
                : FileFacts.Of((int)handle, out facts);
        }
        finally
        {
            if (isHeld)
            {
                DangerousRelease();
            }
        }
    }

    /// <summary>Returns the full path of a name in this directory, for messages and for systems whose calls take only paths.</summary>
    internal string PathOf(string name) => _isOpen ? System.IO.Path.Join(Path, name) : name;

    /// <summary>
    /// Does nothing for <see cref="Working"/>; otherwise fails if the path of this directory now leads to another one. For systems whose
    /// calls take only paths.
    /// </summary>
    internal NativeResult CheckIdentity() => _isOpen ? WindowsDirectory.CheckIdentity(this) : NativeResult.Success;

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        NativeCounts.AddFiles(-1);
        return OperatingSystem.IsWindows() ? Kernel32.CloseHandle(handle) != 0 : LibC.Close((int)handle) == 0;
    }
}
