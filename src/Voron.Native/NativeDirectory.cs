using System.Runtime.InteropServices;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// An open directory, and what can be done to the names in it. Whatever its path leads to later, the directory stays the same: on Unix the
/// descriptor follows it when it is moved; on Windows it cannot be moved while it is open, and where a link or a mount on its path makes
/// another directory answer to it, calls fail with <see cref="WindowsError.FileInvalid"/>. Names hold no zero characters, which would cut
/// them short. Calls may come from several threads at once; a call after dispose throws.
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

    /// <summary>The working directory of the process: names that are whole paths lead where they say.</summary>
    public static NativeDirectory Working { get; } =
        new(OperatingSystem.IsMacOS() ? MacWorking : LinuxWorking, string.Empty, isOpen: false);

    /// <summary>The path that it was opened by.</summary>
    public string Path { get; }

    /// <inheritdoc/>
    public override bool IsInvalid => false;

    /// <summary>Opens a directory in this one.</summary>
    /// <param name="name">A name in this directory, or a path; symbolic links are followed.</param>
    /// <param name="directory">The open directory, or null when the call failed.</param>
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

    /// <summary>Makes a directory, mode 0755 less the umask; its parent must exist and it must not (EEXIST).</summary>
    /// <param name="name">A name in this directory, or a path.</param>
    public NativeResult Create(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Create(this, name) : UnixDirectory.Create(this, name);
    }

    /// <summary>Success when the name leads to a directory; ENOTDIR or ENOENT when not.</summary>
    /// <param name="name">A name in this directory, or a path; symbolic links are followed.</param>
    public NativeResult Check(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Check(this, name) : UnixDirectory.Check(this, name);
    }

    /// <summary>Makes created, renamed and removed names of this directory durable.</summary>
    public NativeResult Sync() => OperatingSystem.IsWindows() ? WindowsDirectory.Sync(this) : UnixDirectory.Sync(this);

    /// <summary>Gives a file or directory another name in the same file system, in one step; a file of that name is replaced.</summary>
    /// <param name="from">Its present name in this directory, or path.</param>
    /// <param name="target">The directory of the new name; may be this one.</param>
    /// <param name="to">Its new name in the target, or path.</param>
    public NativeResult Rename(string from, NativeDirectory target, string to)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows()
            ? WindowsDirectory.Rename(this, from, target, to)
            : UnixDirectory.Rename(this, from, target, to);
    }

    /// <summary>Removes the name of a file; its content lives on while the file is open somewhere.</summary>
    /// <param name="name">A name in this directory, or a path.</param>
    public NativeResult Delete(string name)
    {
        NativePlatform.Require();
        return OperatingSystem.IsWindows() ? WindowsDirectory.Delete(this, name) : UnixDirectory.Delete(this, name);
    }

    /// <summary>Adds the names of what is in this directory and is no directory itself, in no order.</summary>
    /// <param name="names">Where the names are added; after a failure some may have been.</param>
    public NativeResult ListFiles(ICollection<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        return OperatingSystem.IsWindows() ? WindowsDirectory.ListFiles(this, names) : UnixDirectory.ListFiles(this, names);
    }

    /// <summary>Asks what lies below this directory.</summary>
    /// <param name="facts">The answer.</param>
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

    /// <summary>The whole path of a name here, for messages and for systems that know paths only.</summary>
    internal string PathOf(string name) => _isOpen ? System.IO.Path.Join(Path, name) : name;

    /// <summary>
    /// Nothing for <see cref="Working"/>; else a failure when the path of this directory leads to another one by now. For systems whose
    /// calls take paths only.
    /// </summary>
    internal NativeResult CheckIdentity() => _isOpen ? WindowsDirectory.CheckIdentity(this) : NativeResult.Success;

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        NativeCounts.AddFiles(-1);
        return OperatingSystem.IsWindows() ? CloseHandleCall.Invoke(handle) != 0 : CloseCall.Invoke((int)handle) == 0;
    }
}
