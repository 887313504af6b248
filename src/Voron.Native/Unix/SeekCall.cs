using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>lseek(2), used only to ask for the length: no transfer here uses the file position.</summary>
internal static partial class SeekCall
{
    [LibraryImport(LibC.Name, EntryPoint = "lseek", SetLastError = true)]
    internal static partial long Invoke(int descriptor, long offset, int whence);
}
