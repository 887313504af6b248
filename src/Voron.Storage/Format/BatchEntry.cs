using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>One page image of a page batch: of the batch itself or deferred from an older one.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct BatchEntry
{
    internal const int SizeBytes = 40;

    [FieldOffset(0)] internal long PageNumber;

    /// <summary>Page chunk that holds the image.</summary>
    [FieldOffset(8)] internal long Sequence;

    [FieldOffset(16)] internal long Offset;

    /// <summary>The page's own checksum, repeated.</summary>
    [FieldOffset(24)] internal ulong Checksum;

    /// <summary>1, or the pages of an overflow run.</summary>
    [FieldOffset(32)] internal long PageCount;
}
