using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>STORAGE_PROPERTY_QUERY, standard query.</summary>
[StructLayout(LayoutKind.Explicit, Size = 12)]
internal struct DeviceQuestion
{
    [FieldOffset(0)]
    internal int Property;
}
