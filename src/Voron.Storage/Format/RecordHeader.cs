using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>Head of a record in the commit journal. The checksum covers the header from byte 8 and the stored body.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct RecordHeader
{
    internal const int SizeBytes = 96;

    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal uint Magic;

    [FieldOffset(12)] internal RecordFlags Flags;

    /// <summary>Salt of the chunk.</summary>
    [FieldOffset(16)] internal ulong Salt;

    /// <summary>Sequence of the chunk.</summary>
    [FieldOffset(24)] internal long Sequence;

    /// <summary>Byte offset of this record in the chunk.</summary>
    [FieldOffset(32)] internal long Offset;

    [FieldOffset(40)] internal TransactionId TransactionId;

    /// <summary>Length of the body before compression.</summary>
    [FieldOffset(48)] internal long BodyBytes;

    /// <summary>Length of the body as it is in the chunk.</summary>
    [FieldOffset(56)] internal long StoredBytes;

    /// <summary>Checksum of the record before it, across chunks; 0 for the first record of a database.</summary>
    [FieldOffset(64)] internal ulong PreviousChecksum;

    /// <summary>Position of the last record known to be on the device when the write holding this one was issued.</summary>
    [FieldOffset(72)] internal long DurableSequence;

    [FieldOffset(80)] internal long DurableOffset;

    /// <summary>Of a fragment: 0, 1, …; of a commit record: 0.</summary>
    [FieldOffset(88)] internal uint FragmentNumber;

    /// <summary>Of a commit record: how many fragments belong to it; of a fragment: 0.</summary>
    [FieldOffset(92)] internal uint FragmentCount;
}
