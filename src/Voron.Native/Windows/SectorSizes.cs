using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FILE_STORAGE_INFO; 28 bytes, the field in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 28)]
internal struct SectorSizes
{
    internal const int Class = 16;

    /// <summary>What unbuffered transfers are multiples of.</summary>
    [FieldOffset(0)]
    internal uint LogicalBytes;
}
