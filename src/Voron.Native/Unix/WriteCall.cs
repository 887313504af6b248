using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>pwrite(2).</summary>
internal static unsafe partial class WriteCall
{
    [LibraryImport(LibC.Name, EntryPoint = "pwrite", SetLastError = true)]
    internal static partial nint Invoke(int descriptor, byte* buffer, nuint count, long offset);
}
