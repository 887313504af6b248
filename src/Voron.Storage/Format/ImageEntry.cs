using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>
/// An entry of the table of an image set: a page image of the set itself or one deferred from an older set; or a link or a removed page,
/// in a deferred part with a link.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct ImageEntry
{
    internal const int SizeBytes = 40;

    /// <summary>0: a link to an earlier deferred part.</summary>
    [FieldOffset(0)] internal PageNumber PageNumber;

    /// <summary>Page chunk that holds the image, or the linked part; 0 for a removed page.</summary>
    [FieldOffset(8)] internal long Sequence;

    [FieldOffset(16)] internal long Offset;

    /// <summary>The page's own checksum, repeated; of a link: of all bytes of the linked part.</summary>
    [FieldOffset(24)] internal ulong Checksum;

    /// <summary>1, or the pages of an overflow run; of a link: the entries of the linked part; 0 for a removed page.</summary>
    [FieldOffset(32)] internal long PageCount;

    /// <summary>Names the deferred part that the entries after this one change.</summary>
    internal readonly bool IsLink => PageNumber == default;

    /// <summary>The page is in the data file again, or free.</summary>
    internal readonly bool IsRemoved => PageCount == 0;
}
