using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fcntl(2). The argument is variadic in C; both processors pass it like a named one.</summary>
internal static partial class ControlCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fcntl", SetLastError = true)]
    internal static partial int Invoke(int descriptor, int command, nint argument);
}
