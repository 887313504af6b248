using System.Runtime.InteropServices;

namespace Voron.Storage.History;

/// <summary>Precedes the payload of each frame.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct FrameHead
{
    internal const int SizeBytes = 32;

    /// <summary>Of this head from byte 8 on.</summary>
    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal FrameKind Kind;

    /// <summary>Length of the payload.</summary>
    [FieldOffset(12)] internal int Bytes;

    /// <summary>Number of the frame in its stream, from 0.</summary>
    [FieldOffset(16)] internal long Number;

    /// <summary>Of the payload.</summary>
    [FieldOffset(24)] internal ulong PayloadChecksum;
}
