using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>BY_HANDLE_FILE_INFORMATION; 52 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 52)]
internal struct FileIdentity
{
    [FieldOffset(28)]
    internal uint VolumeSerial;

    [FieldOffset(40)]
    internal uint Links;

    [FieldOffset(44)]
    internal uint HighIndex;

    [FieldOffset(48)]
    internal uint LowIndex;
}
