using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>mkdir(2).</summary>
internal static partial class MakeDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(string path, uint mode);
}
