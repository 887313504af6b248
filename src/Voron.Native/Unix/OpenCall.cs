using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>openat(2). The mode is variadic in C; both processors pass it like a named argument.</summary>
internal static partial class OpenCall
{
    [LibraryImport(LibC.Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(NativeDirectory directory, string path, int flags, uint mode);
}
