using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetFileAttributesW.</summary>
internal static partial class AttributesCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileAttributesW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial uint Invoke(string path);
}
