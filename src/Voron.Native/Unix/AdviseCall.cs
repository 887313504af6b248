using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>madvise(2).</summary>
internal static partial class AdviseCall
{
    [LibraryImport(LibC.Name, EntryPoint = "madvise", SetLastError = true)]
    internal static partial int Invoke(nint address, nuint length, int advice);
}
