using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fstatfs(2).</summary>
internal static unsafe partial class FileSystemCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fstatfs", SetLastError = true)]
    internal static partial int Invoke(int descriptor, FileSystemStatus* status);
}
