using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>CloseHandle.</summary>
internal static partial class CloseHandleCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "CloseHandle", SetLastError = true)]
    internal static partial int Invoke(nint handle);
}
