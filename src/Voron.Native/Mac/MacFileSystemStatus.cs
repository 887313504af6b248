using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>struct statfs with inode numbers of 64 bits; 2168 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2168)]
internal struct MacFileSystemStatus
{
    [FieldOffset(0)]
    internal uint BlockBytes;

    [FieldOffset(8)]
    internal ulong Blocks;

    /// <summary>Blocks that a user without privileges may still take.</summary>
    [FieldOffset(24)]
    internal ulong AvailableBlocks;

    [FieldOffset(60)]
    internal uint Type;
}
