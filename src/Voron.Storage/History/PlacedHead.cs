using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Precedes bytes of a run; those of one run follow each other in one or more frames.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct PlacedHead
{
    internal const int SizeBytes = 24;

    [FieldOffset(0)] internal TransactionId TransactionId;

    /// <summary>Length of the value in the run.</summary>
    [FieldOffset(8)] internal long ValueBytes;

    /// <summary>Where these bytes begin in it.</summary>
    [FieldOffset(16)] internal long Offset;
}
