using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>Value of a catalog entry; its key is the tree's name.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct TreeRecord
{
    internal const int SizeBytes = 24;

    [FieldOffset(0)] internal TreeKind Kind;

    /// <summary>Zero.</summary>
    [FieldOffset(1)] internal byte Reserved0;

    /// <summary>Zero.</summary>
    [FieldOffset(2)] internal ushort Reserved1;

    /// <summary>Zero.</summary>
    [FieldOffset(4)] internal uint Reserved2;

    /// <summary>Stays the same while the tree lives.</summary>
    [FieldOffset(8)] internal PageNumber RootPage;

    [FieldOffset(16)] internal long EntryCount;
}
