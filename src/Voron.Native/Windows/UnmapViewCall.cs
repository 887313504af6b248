using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>UnmapViewOfFile.</summary>
internal static partial class UnmapViewCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "UnmapViewOfFile", SetLastError = true)]
    internal static partial int Invoke(nint address);
}
