using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>munmap(2).</summary>
internal static partial class UnmapCall
{
    [LibraryImport(LibC.Name, EntryPoint = "munmap", SetLastError = true)]
    internal static partial int Invoke(nint address, nuint length);
}
