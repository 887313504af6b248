using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Precedes a part of the redo of a transaction.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct RecordsHead
{
    internal const int SizeBytes = 16;

    [FieldOffset(0)] internal TransactionId TransactionId;

    /// <summary>1 in the first part of a transaction, which begins with the redo version.</summary>
    [FieldOffset(8)] internal uint IsFirst;

    /// <summary>1 in the last part, which commits the transaction.</summary>
    [FieldOffset(12)] internal uint IsLast;
}
