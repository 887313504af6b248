using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>CreateDirectoryW.</summary>
internal static partial class MakeDirectoryCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "CreateDirectoryW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int Invoke(string path, nint security);
}
