using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WIN32_MEMORY_RANGE_ENTRY.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct MemoryRange(nint address, nuint bytes)
{
    internal readonly nint Address = address;
    internal readonly nuint Bytes = bytes;
}
