using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>readdir(3). Null is the end or an error; the two differ by errno, which is cleared before the call.</summary>
internal static unsafe partial class ReadDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "readdir", SetLastError = true)]
    internal static partial DirectoryEntry* Invoke(nint directory);
}
