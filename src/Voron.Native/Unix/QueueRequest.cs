using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct iocb of a little-endian system.</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal unsafe struct QueueRequest
{
    internal const ushort Write = 1;

    [FieldOffset(16)] internal ushort Operation;
    [FieldOffset(20)] internal int Descriptor;
    [FieldOffset(24)] internal byte* Buffer;
    [FieldOffset(32)] internal ulong Bytes;
    [FieldOffset(40)] internal long Offset;
}
