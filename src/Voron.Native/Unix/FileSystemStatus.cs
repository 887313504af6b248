using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct statfs; 120 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 120)]
internal struct FileSystemStatus
{
    [FieldOffset(0)]
    internal long Type;

    [FieldOffset(8)]
    internal long BlockBytes;

    [FieldOffset(16)]
    internal ulong Blocks;

    /// <summary>Blocks that a user without privileges may still take.</summary>
    [FieldOffset(32)]
    internal ulong AvailableBlocks;
}
