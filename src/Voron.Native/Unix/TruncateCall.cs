using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>ftruncate(2).</summary>
internal static partial class TruncateCall
{
    [LibraryImport(LibC.Name, EntryPoint = "ftruncate", SetLastError = true)]
    internal static partial int Invoke(int descriptor, long length);
}
