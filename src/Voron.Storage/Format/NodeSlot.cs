using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>One entry's slot in a leaf or branch; slots are in key order directly after the page header.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct NodeSlot
{
    internal const int SizeBytes = 8;

    /// <summary>First four key bytes after the node's prefix, big-endian, zero-padded.</summary>
    [FieldOffset(0)] internal uint Head;

    /// <summary>Byte offset of the entry in the page.</summary>
    [FieldOffset(4)] internal ushort Offset;

    /// <summary>Bits 0–14: key bytes after the prefix. Bit 15: the value is an overflow reference.</summary>
    [FieldOffset(6)] internal ushort KeyLength;
}
