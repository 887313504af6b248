using System.Runtime.InteropServices;
using System.Text;

namespace Voron.Native.Unix;

/// <summary>Directories by descriptors and paths; see <see cref="NativeDirectory"/>.</summary>
internal static unsafe class UnixDirectory
{
    private const uint ModeOfNewDirectories = 0x1ED; // 0755

    internal static NativeResult Create(string path)
    {
        NativeResult result;
        do
        {
            result = MakeDirectoryCall.Invoke(path, ModeOfNewDirectories) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult Check(string path)
    {
        NativeResult result = Open(path, OpenFlags.PathOnly, out int descriptor);
        if (!result.Failed)
        {
            _ = CloseCall.Invoke(descriptor);
        }

        return result;
    }

    internal static NativeResult Sync(string path)
    {
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

    internal static NativeResult Rename(string from, string to)
    {
        NativeResult result;
        do
        {
            result = RenameCall.Invoke(from, to) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult Delete(string path)
    {
        NativeResult result;
        do
        {
            result = UnlinkCall.Invoke(path) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult ListFiles(string path, ICollection<string> names)
    {
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
