using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>pread(2).</summary>
internal static unsafe partial class ReadCall
{
    [LibraryImport(LibC.Name, EntryPoint = "pread", SetLastError = true)]
    internal static partial nint Invoke(int descriptor, byte* buffer, nuint count, long offset);
}
