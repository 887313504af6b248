using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>mprotect(2).</summary>
internal static partial class ProtectCall
{
    [LibraryImport(LibC.Name, EntryPoint = "mprotect", SetLastError = true)]
    internal static partial int Invoke(nint address, nuint length, int protection);
}
