using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Says when a transaction was committed.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct TransactionTime
{
    internal const int SizeBytes = 16;

    [FieldOffset(0)] internal TransactionId TransactionId;

    /// <summary>In ticks of .NET, UTC.</summary>
    [FieldOffset(8)] internal long UtcTicks;

    internal readonly bool IsPossible => TransactionId > TransactionId.None && UtcTicks > 0 && UtcTicks <= DateTime.MaxValue.Ticks;
}
