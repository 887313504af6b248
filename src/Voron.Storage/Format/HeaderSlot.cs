using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>
/// A pointer to the newest checkpoint. Slot 0 is at the start of page 0, slot 1 at the start of page 1; the valid one with the higher
/// generation wins. The checksum covers bytes 8–127.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct HeaderSlot
{
    internal const int SizeBytes = 128;

    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal ulong Magic;

    [FieldOffset(16)] internal uint FormatVersion;

    [FieldOffset(20)] internal uint PageBytes;

    [FieldOffset(24)] internal ulong DatabaseIdLow;

    [FieldOffset(32)] internal ulong DatabaseIdHigh;

    /// <summary>Grows by one with every slot write.</summary>
    [FieldOffset(40)] internal long Generation;

    /// <summary>k; 0 for a database that was never checkpointed.</summary>
    [FieldOffset(48)] internal long Checkpoint;

    /// <summary>N of checkpoint k.</summary>
    [FieldOffset(56)] internal TransactionId TransactionId;

    /// <summary>Page chunk of the head of image set k; 0 if k is 0.</summary>
    [FieldOffset(64)] internal long SetSequence;

    [FieldOffset(72)] internal long SetOffset;

    /// <summary>Place of the head of image set k + 1.</summary>
    [FieldOffset(80)] internal long NextSetSequence;

    [FieldOffset(88)] internal long NextSetOffset;

    /// <summary>0 or 1.</summary>
    [FieldOffset(96)] internal uint SlotNumber;

    /// <summary>
    /// 1: at rest; everything in the data file is on the device, and nothing but header slots was written there since. 0: a checkpoint is
    /// on its way, or large values are written.
    /// </summary>
    [FieldOffset(100)] internal uint IsAtRest;

    /// <summary>A commit chunk that was durable when this slot was written: it, or N in a later one, must be there; 0 names none.</summary>
    [FieldOffset(104)] internal long CommitSequence;

    /// <summary>Commit chunks up to this one have no record after N's; 0 if unknown.</summary>
    [FieldOffset(112)] internal long EndSequence;

    /// <summary>Zero in version 1.</summary>
    [FieldOffset(120)] internal FormatFeatures Features;
}
