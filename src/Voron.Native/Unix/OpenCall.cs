using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>open(2). The mode is variadic in C; both processors pass it like a named argument.</summary>
internal static partial class OpenCall
{
    [LibraryImport(LibC.Name, EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(string path, int flags, uint mode);
}
