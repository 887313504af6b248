using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WIN32_FIND_DATAW; 592 bytes, the fields in use named. The zero-terminated name has 260 letters at most.</summary>
[StructLayout(LayoutKind.Explicit, Size = 592)]
internal unsafe struct FoundName
{
    [FieldOffset(0)]
    internal uint Attributes;

    [FieldOffset(44)]
    internal fixed char Name[260];
}
