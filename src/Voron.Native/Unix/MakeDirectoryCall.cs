using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>mkdirat(2).</summary>
internal static partial class MakeDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "mkdirat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(NativeDirectory directory, string path, uint mode);
}
