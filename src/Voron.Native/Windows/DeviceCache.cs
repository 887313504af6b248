using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>STORAGE_WRITE_CACHE_PROPERTY; 28 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 28)]
internal struct DeviceCache
{
    /// <summary>0 unknown, 1 off, 2 on.</summary>
    [FieldOffset(12)]
    internal int Enabled;

    /// <summary>0 unknown, 1 not supported, 2 supported.</summary>
    [FieldOffset(20)]
    internal int WriteThrough;
}
