using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>fstore_t; 32 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 32)]
internal struct MacSpaceRequest
{
    /// <summary>F_ALLOCATEALL: all of it or nothing.</summary>
    internal const uint All = 4;

    /// <summary>F_PEOFPOSMODE.</summary>
    internal const int BehindEnd = 3;

    [FieldOffset(0)]
    internal uint Flags;

    [FieldOffset(4)]
    internal int Position;

    [FieldOffset(8)]
    internal long Offset;

    [FieldOffset(16)]
    internal long Bytes;

    /// <summary>The system's answer.</summary>
    [FieldOffset(24)]
    internal long SetAsideBytes;
}
