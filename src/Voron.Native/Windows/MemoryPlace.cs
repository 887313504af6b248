using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>MEMORY_BASIC_INFORMATION of 64-bit systems; 48 bytes, the field in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 48)]
internal struct MemoryPlace
{
    /// <summary>Where the allocation begins that an address belongs to.</summary>
    [FieldOffset(8)]
    internal nint AllocationBase;
}
