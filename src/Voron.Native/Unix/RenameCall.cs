using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>renameat(2).</summary>
internal static partial class RenameCall
{
    [LibraryImport(LibC.Name, EntryPoint = "renameat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(NativeDirectory source, string from, NativeDirectory target, string to);
}
