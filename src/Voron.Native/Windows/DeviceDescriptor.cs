using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>STORAGE_DEVICE_DESCRIPTOR up to its raw properties; 36 bytes, the field in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 36)]
internal struct DeviceDescriptor
{
    [FieldOffset(28)]
    internal int BusType;
}
