using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>opendir(3).</summary>
internal static partial class OpenDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "opendir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial nint Invoke(string path);
}
