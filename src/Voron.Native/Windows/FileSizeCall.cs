using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetFileSizeEx.</summary>
internal static unsafe partial class FileSizeCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileSizeEx", SetLastError = true)]
    internal static partial int Invoke(nint handle, long* bytes);
}
