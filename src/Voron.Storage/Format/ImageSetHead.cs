using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>The record that completes checkpoint k; alone in a 4 KiB block of a page chunk. The checksum covers bytes 8–183.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct ImageSetHead
{
    internal const int SizeBytes = 184;

    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal uint Magic;

    [FieldOffset(12)] internal uint FormatVersion;

    /// <summary>Salt of the chunk.</summary>
    [FieldOffset(16)] internal ulong Salt;

    /// <summary>Sequence of the chunk.</summary>
    [FieldOffset(24)] internal long Sequence;

    /// <summary>Byte offset of this head in the chunk.</summary>
    [FieldOffset(32)] internal long Offset;

    [FieldOffset(40)] internal ulong DatabaseIdLow;

    [FieldOffset(48)] internal ulong DatabaseIdHigh;

    /// <summary>k.</summary>
    [FieldOffset(56)] internal long Checkpoint;

    /// <summary>N.</summary>
    [FieldOffset(64)] internal TransactionId TransactionId;

    [FieldOffset(72)] internal PageNumber CatalogRoot;

    /// <summary>One more than the highest page in use at N.</summary>
    [FieldOffset(80)] internal PageNumber NextPage;

    /// <summary>Length of the data file that N needs at least.</summary>
    [FieldOffset(88)] internal long FileBytes;

    /// <summary>Position of N's commit record; 0 when N is 0.</summary>
    [FieldOffset(96)] internal long CommitSequence;

    [FieldOffset(104)] internal long CommitOffset;

    /// <summary>Checksum of that record.</summary>
    [FieldOffset(112)] internal ulong CommitChecksum;

    /// <summary>Place of the table of the set: image entries, then the deferred part.</summary>
    [FieldOffset(120)] internal long TableSequence;

    [FieldOffset(128)] internal long TableOffset;

    [FieldOffset(136)] internal ulong TableChecksum;

    [FieldOffset(144)] internal long ImageCount;

    [FieldOffset(152)] internal long DeferredCount;

    /// <summary>Place of the head of image set k + 1.</summary>
    [FieldOffset(160)] internal long NextSetSequence;

    [FieldOffset(168)] internal long NextSetOffset;

    /// <summary>The first commit chunk with records of entries that are pending in N; 0 if there are none.</summary>
    [FieldOffset(176)] internal long PendingSequence;
}
