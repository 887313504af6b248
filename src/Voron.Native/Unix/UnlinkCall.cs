using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>unlink(2).</summary>
internal static partial class UnlinkCall
{
    [LibraryImport(LibC.Name, EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(string path);
}
