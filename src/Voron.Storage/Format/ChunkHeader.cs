using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>First bytes of every journal chunk; the rest of its first 4 KiB is zero. The checksum covers bytes 8–79.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct ChunkHeader
{
    internal const int SizeBytes = 80;

    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal ulong Magic;

    [FieldOffset(16)] internal ChunkKind Kind;

    [FieldOffset(20)] internal uint FormatVersion;

    [FieldOffset(24)] internal ulong DatabaseIdLow;

    [FieldOffset(32)] internal ulong DatabaseIdHigh;

    /// <summary>Never reused within its journal.</summary>
    [FieldOffset(40)] internal long Sequence;

    /// <summary>Half of it random for each incarnation of the file, half the database's.</summary>
    [FieldOffset(48)] internal ulong Salt;

    /// <summary>Sequence of the chunk that was in use when this one was made; 0 for the first.</summary>
    [FieldOffset(56)] internal long PreviousSequence;

    /// <summary>Length of the file.</summary>
    [FieldOffset(64)] internal long ChunkBytes;

    /// <summary>Zero.</summary>
    [FieldOffset(72)] internal long Reserved;
}
