using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fsync(2), used for directories.</summary>
internal static partial class FileSyncCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fsync", SetLastError = true)]
    internal static partial int Invoke(NativeDirectory directory);
}
