using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>closedir(3).</summary>
internal static partial class CloseDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "closedir", SetLastError = true)]
    internal static partial int Invoke(nint directory);
}
