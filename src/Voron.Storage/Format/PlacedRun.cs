using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>A run that a transaction wrote to its place in the data file before its commit record, as that record names it.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct PlacedRun
{
    internal const int SizeBytes = 24;

    /// <summary>First page of the run.</summary>
    [FieldOffset(0)] internal PageNumber FirstPage;

    /// <summary>Length of the value, or of this piece of it.</summary>
    [FieldOffset(8)] internal long ValueBytes;

    /// <summary>The run's own checksum, repeated.</summary>
    [FieldOffset(16)] internal ulong Checksum;

    internal readonly OverflowReference Reference => new() { FirstPage = FirstPage, ValueBytes = ValueBytes };
}
