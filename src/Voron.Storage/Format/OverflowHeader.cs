using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>
/// Head of an overflow run: contiguous pages that hold one value. The checksum covers the whole run from byte 8 to its end.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct OverflowHeader
{
    internal const int SizeBytes = 32;

    /// <summary>A flag: a checkpoint brings the run to its place, so its transaction is not above that of the newest checkpoint.</summary>
    internal const byte FromCheckpoint = 1;

    [FieldOffset(0)] internal ulong Checksum;

    /// <summary>First page of the run.</summary>
    [FieldOffset(8)] internal PageNumber PageNumber;

    [FieldOffset(16)] internal TransactionId TransactionId;

    [FieldOffset(24)] internal PageKind Kind;

    /// <summary><see cref="FromCheckpoint"/> or, in a placed run and in those of older engines, zero.</summary>
    [FieldOffset(25)] internal byte Flags;

    /// <summary>Zero.</summary>
    [FieldOffset(26)] internal ushort Reserved;

    /// <summary>Pages of the run.</summary>
    [FieldOffset(28)] internal uint PageCount;
}
