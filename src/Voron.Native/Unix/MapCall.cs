using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>mmap(2).</summary>
internal static partial class MapCall
{
    [LibraryImport(LibC.Name, EntryPoint = "mmap", SetLastError = true)]
    internal static partial nint Invoke(nint address, nuint length, int protection, int flags, int descriptor, long offset);
}
