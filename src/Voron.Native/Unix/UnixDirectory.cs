using System.Runtime.InteropServices;
using System.Text;

namespace Voron.Native.Unix;

/// <summary>Names in a directory that is held by a descriptor; see <see cref="NativeDirectory"/>.</summary>
internal static unsafe class UnixDirectory
{
    private const uint ModeOfNewDirectories = 0x1ED; // 0755
    private const string Itself = ".";

    private static int ToList => OperatingSystem.IsMacOS()
        ? Mac.MacOpenFlags.ReadOnly | Mac.MacOpenFlags.Directory | Mac.MacOpenFlags.CloseOnExec
        : OpenFlags.ReadOnly | OpenFlags.Directory | OpenFlags.CloseOnExec;

    internal static NativeResult Create(NativeDirectory parent, string name)
    {
        NativeResult result;
        do
        {
            result = LibC.Mkdirat(parent, name, ModeOfNewDirectories) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>
    /// A directory that may be entered but not listed is held all the same where the system can: its files may be opened, and to list or
    /// sync it is denied.
    /// </summary>
    internal static NativeResult Open(NativeDirectory parent, string name, out int descriptor)
    {
        NativeResult opened = UnixFile.OpenDescriptor(parent, name, ToList, out descriptor);
        return opened.Code == Errno.ACCES && OperatingSystem.IsLinux()
            ? UnixFile.OpenDescriptor(
                parent, name, OpenFlags.PathOnly | OpenFlags.Directory | OpenFlags.CloseOnExec, out descriptor)
            : opened;
    }

    internal static NativeResult Check(NativeDirectory parent, string name)
    {
        if (OperatingSystem.IsMacOS())
        {
            NativeResult asked = Mac.MacStatusCall.OfName(parent, name, out Mac.MacFileStatus status);
            return asked.Failed || status.IsDirectory ? asked : new NativeResult(Errno.NOTDIR);
        }

        NativeResult result = UnixFile.OpenDescriptor(
            parent, name, OpenFlags.PathOnly | OpenFlags.Directory | OpenFlags.CloseOnExec, out int descriptor);
        if (!result.Failed)
        {
            _ = LibC.Close(descriptor);
        }

        return result;
    }

    internal static NativeResult Sync(NativeDirectory directory)
    {
        if (OperatingSystem.IsMacOS())
        {
            return Mac.MacControl.Sync(directory);
        }

        NativeResult result;
        do
        {
            result = LibC.Fsync(directory) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));

        // What is open as a path only cannot be synced.
        return result.Code == Errno.BADF ? new NativeResult(Errno.ACCES) : result;
    }

    internal static NativeResult Rename(NativeDirectory source, string from, NativeDirectory target, string to)
    {
        NativeResult result;
        do
        {
            result = LibC.Renameat(source, from, target, to) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult Delete(NativeDirectory directory, string name)
    {
        NativeResult result;
        do
        {
            result = LibC.Unlinkat(directory, name, 0) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>A descriptor of its own, because the place in a listing belongs to the descriptor.</summary>
    internal static NativeResult ListFiles(NativeDirectory directory, ICollection<string> names)
    {
        NativeResult opened = UnixFile.OpenDescriptor(directory, Itself, ToList, out int descriptor);
        if (opened.Failed)
        {
            return opened;
        }

        nint stream = OperatingSystem.IsMacOS() ? Mac.MacDirectoryCalls.Open(descriptor) : LibC.Fdopendir(descriptor);
        if (stream == 0)
        {
            NativeResult refused = NativeResult.Last();
            _ = LibC.Close(descriptor);
            return refused;
        }

        try
        {
            return OperatingSystem.IsMacOS()
                ? Mac.MacDirectoryCalls.ListFiles(directory, stream, names)
                : ListFiles(directory, stream, names);
        }
        finally
        {
            _ = LibC.Closedir(stream);
        }
    }

    private static NativeResult ListFiles(NativeDirectory directory, nint stream, ICollection<string> names)
    {
        for (DirectoryEntry* entry = LibC.Readdir(stream); entry != null; entry = LibC.Readdir(stream))
        {
            ReadOnlySpan<byte> name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated((byte*)entry + DirectoryEntry.NameOffset);
            if (IsFile(directory, name, entry->Type))
            {
                names.Add(Encoding.UTF8.GetString(name));
            }
        }

        return new NativeResult(Marshal.GetLastPInvokeError());
    }

    private static bool IsFile(NativeDirectory directory, ReadOnlySpan<byte> name, byte type)
    {
        if (type is DirectoryEntry.TypeFile or DirectoryEntry.TypeDirectory)
        {
            return type == DirectoryEntry.TypeFile;
        }

        // Some file systems do not tell the kind here, and a symbolic link may lead to either. What cannot be asked is named: its user
        // will see the error.
        return Status.OfName(directory, name, out FileStatus status).Failed || !status.IsDirectory;
    }
}
