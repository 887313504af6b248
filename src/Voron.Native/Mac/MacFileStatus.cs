using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>struct stat with inode numbers of 64 bits; 144 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 144)]
internal struct MacFileStatus
{
    private const int TypeMask = 0xF000;
    private const int TypeDirectory = 0x4000;

    [FieldOffset(0)]
    internal int Device;

    [FieldOffset(4)]
    internal ushort Mode;

    [FieldOffset(6)]
    internal ushort Links;

    [FieldOffset(8)]
    internal ulong Inode;

    internal readonly bool IsDirectory => (Mode & TypeMask) == TypeDirectory;
}
