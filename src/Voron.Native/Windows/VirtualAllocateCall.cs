using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>VirtualAlloc.</summary>
internal static partial class VirtualAllocateCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "VirtualAlloc", SetLastError = true)]
    internal static partial nint Invoke(nint address, nuint bytes, uint kind, uint protection);
}
