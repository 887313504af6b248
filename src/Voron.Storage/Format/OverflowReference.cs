using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>What a leaf entry holds instead of a value that lives in an overflow run.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct OverflowReference
{
    internal const int SizeBytes = 16;

    [FieldOffset(0)] internal PageNumber FirstPage;

    /// <summary>Length of the value; with <see cref="ListFlag"/> of the list of its pieces, which is in the run in its place.</summary>
    [FieldOffset(8)] internal long ValueBytes;

    /// <summary>The value is in pieces, each a run of its own, and this run holds a reference to each of them.</summary>
    internal const long ListFlag = long.MinValue;

    internal readonly bool IsList => (ValueBytes & ListFlag) != 0;

    /// <summary>The run itself, whatever is in it.</summary>
    internal readonly OverflowReference Run => new() { FirstPage = FirstPage, ValueBytes = ValueBytes & ~ListFlag };

    /// <summary>Number of pages of a run that holds this many bytes.</summary>
    internal static long PagesOf(long valueBytes, int pageBytes) => (valueBytes + OverflowHeader.SizeBytes + pageBytes - 1) / pageBytes;
}
