using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fallocate(2).</summary>
internal static partial class AllocateCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fallocate", SetLastError = true)]
    internal static partial int Invoke(int descriptor, int mode, long offset, long length);
}
