using System.Runtime.InteropServices;
using System.Text;
using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>What macOS does with directories in a way of its own; see <see cref="NativeDirectory"/>.</summary>
internal static unsafe class MacDirectory
{
    internal static NativeResult Check(string path)
    {
        NativeResult result = MacStatusCall.OfPath(path, out MacFileStatus status);
        return result.Failed || status.IsDirectory ? result : new NativeResult(Errno.NOTDIR);
    }

    internal static NativeResult Sync(string path)
    {
        const int Flags = MacOpenFlags.ReadOnly | MacOpenFlags.Directory | MacOpenFlags.CloseOnExec;
        NativeResult result = UnixFile.OpenDescriptor(path, Flags, out int descriptor);
        if (result.Failed)
        {
            return result;
        }

        result = MacControl.Sync(descriptor);
        _ = CloseCall.Invoke(descriptor);
        return result;
    }

    internal static NativeResult ListFiles(string path, ICollection<string> names)
    {
        nint directory = MacDirectoryCalls.Open(path);
        if (directory == 0)
        {
            return NativeResult.Last();
        }

        try
        {
            for (MacDirectoryEntry* entry = MacDirectoryCalls.Read(directory); entry != null; entry = MacDirectoryCalls.Read(directory))
            {
                string name = Encoding.UTF8.GetString(
                    MemoryMarshal.CreateReadOnlySpanFromNullTerminated((byte*)entry + MacDirectoryEntry.NameOffset));
                if (IsFile(path, name, entry->Type))
                {
                    names.Add(name);
                }
            }

            return NativeResult.OfSystem(Marshal.GetLastPInvokeError());
        }
        finally
        {
            _ = CloseDirectoryCall.Invoke(directory);
        }
    }

    /// <summary>As on Linux: what has no kind here, or is a link, is asked; what cannot be asked is named.</summary>
    private static bool IsFile(string directory, string name, byte type) => type switch
    {
        DirectoryEntry.TypeFile => true,
        DirectoryEntry.TypeDirectory => false,
        _ => MacStatusCall.OfPath($"{directory}/{name}", out MacFileStatus status).Failed || !status.IsDirectory,
    };
}
