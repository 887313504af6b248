using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>unlinkat(2); without flags it removes files only.</summary>
internal static partial class UnlinkCall
{
    [LibraryImport(LibC.Name, EntryPoint = "unlinkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Invoke(NativeDirectory directory, string path, int flags);
}
