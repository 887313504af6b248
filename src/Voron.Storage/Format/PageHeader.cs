using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>Head of a leaf, branch or space-map page. The checksum covers the page from byte 8 to its end.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct PageHeader
{
    internal const int SizeBytes = 32;

    [FieldOffset(0)] internal ulong Checksum;

    [FieldOffset(8)] internal PageNumber PageNumber;

    /// <summary>The transaction that made this version.</summary>
    [FieldOffset(16)] internal TransactionId TransactionId;

    [FieldOffset(24)] internal PageKind Kind;

    /// <summary>Zero in this version.</summary>
    [FieldOffset(25)] internal byte Flags;

    /// <summary>Slots of a node; zero in a space map.</summary>
    [FieldOffset(26)] internal ushort Count;

    /// <summary>Heap bytes in use, dead entries included, counted from the page's end: the heap mark is page size − this.</summary>
    [FieldOffset(28)] internal ushort HeapUsedBytes;

    /// <summary>Length of the key prefix that all keys of the node share; its bytes are the last ones of the page.</summary>
    [FieldOffset(30)] internal ushort PrefixBytes;
}
