using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>CreateFileW: opens files and directories.</summary>
internal static partial class CreateFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial nint Invoke(string path, uint access, uint sharing, nint security, uint disposition, uint flags, nint template);
}
