using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>VirtualFree.</summary>
internal static partial class VirtualFreeCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "VirtualFree", SetLastError = true)]
    internal static partial int Invoke(nint address, nuint bytes, uint kind);
}
