using System.Runtime.InteropServices;
using System.Text;
using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>Directories and the names in them. Paths hold no zero characters, which would cut them short.</summary>
public static unsafe class NativeDirectory
{
    private const uint ModeOfNewDirectories = 0x1ED; // 0755

    /// <summary>Makes one directory, mode 0755 less the umask; its parent must exist and it must not (EEXIST).</summary>
    /// <param name="path">The directory.</param>
    public static NativeResult Create(string path)
    {
        NativePlatform.Require();
        NativeResult result;
        do
        {
            result = MakeDirectoryCall.Invoke(path, ModeOfNewDirectories) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>Success when the path leads to a directory; ENOTDIR or ENOENT when not.</summary>
    /// <param name="path">The path, symbolic links are followed.</param>
    public static NativeResult Check(string path)
    {
        NativePlatform.Require();
        NativeResult result = Open(path, OpenFlags.PathOnly, out int descriptor);
        if (!result.Failed)
        {
            _ = CloseCall.Invoke(descriptor);
        }

        return result;
    }

    /// <summary>Makes created, renamed and removed names of the directory durable.</summary>
    /// <param name="path">The directory.</param>
    public static NativeResult Sync(string path)
    {
        NativePlatform.Require();
        NativeResult result = Open(path, OpenFlags.ReadOnly, out int descriptor);
        if (result.Failed)
        {
            return result;
        }

        do
        {
            result = FileSyncCall.Invoke(descriptor) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        _ = CloseCall.Invoke(descriptor);
        return result;
    }

    /// <summary>Gives a file or directory another name in the same file system, in one step; a file of that name is replaced.</summary>
    /// <param name="from">Present name.</param>
    /// <param name="to">New name.</param>
    public static NativeResult Rename(string from, string to)
    {
        NativePlatform.Require();
        NativeResult result;
        do
        {
            result = RenameCall.Invoke(from, to) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>Removes the name of a file; its content lives on while the file is open somewhere.</summary>
    /// <param name="path">The file.</param>
    public static NativeResult Delete(string path)
    {
        NativePlatform.Require();
        NativeResult result;
        do
        {
            result = UnlinkCall.Invoke(path) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>Adds the names of what is in the directory and is no directory itself, in no order.</summary>
    /// <param name="path">The directory.</param>
    /// <param name="names">Where the names are added; after a failure some may have been.</param>
    public static NativeResult ListFiles(string path, ICollection<string> names)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(names);
        NativePlatform.Require();
        nint directory = OpenDirectoryCall.Invoke(path);
        if (directory == 0)
        {
            return NativeResult.Last();
        }

        try
        {
            for (DirectoryEntry* entry = ReadDirectoryCall.Invoke(directory); entry != null; entry = ReadDirectoryCall.Invoke(directory))
            {
                ReadOnlySpan<byte> name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated((byte*)entry + DirectoryEntry.NameOffset);
                if (IsFile(path, name, entry->Type))
                {
                    names.Add(Encoding.UTF8.GetString(name));
                }
            }

            return new NativeResult(Marshal.GetLastPInvokeError());
        }
        finally
        {
            _ = CloseDirectoryCall.Invoke(directory);
        }
    }

    private static bool IsFile(string directory, ReadOnlySpan<byte> name, byte type)
    {
        if (type is DirectoryEntry.TypeFile or DirectoryEntry.TypeDirectory)
        {
            return type == DirectoryEntry.TypeFile;
        }

        // Some file systems do not tell the kind here, and a symbolic link may lead to either. What cannot be asked is named: its user
        // will see the error.
        byte[] path = [.. Encoding.UTF8.GetBytes(directory), (byte)'/', .. name, 0];
        return Status.OfPath(path, out FileStatus status).Failed || !status.IsDirectory;
    }

    private static NativeResult Open(string path, int flags, out int descriptor)
    {
        NativeResult result;
        do
        {
            descriptor = OpenCall.Invoke(path, flags | OpenFlags.Directory | OpenFlags.CloseOnExec, 0);
            result = descriptor >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }
}
