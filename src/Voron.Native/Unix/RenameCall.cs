using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>rename(2).</summary>
internal static partial class RenameCall
{
    [LibraryImport(LibC.Name, EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(string from, string to);
}
