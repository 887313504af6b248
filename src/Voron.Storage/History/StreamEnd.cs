using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Ends a complete stream.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct StreamEnd
{
    internal const int SizeBytes = 16;

    /// <summary>The last transaction of the stream, or the one that it begins after if it has none.</summary>
    [FieldOffset(0)] internal TransactionId Last;

    [FieldOffset(8)] internal long Transactions;
}
