using System.Buffers;

namespace Voron.Storage.Transactions;

/// <summary>A piece of a value as a segment of a <see cref="ReadOnlySequence{T}"/>.</summary>
internal sealed class ValueSegment : ReadOnlySequenceSegment<byte>
{
    internal ValueSegment(ValuePiece piece, ValueSegment? before)
    {
        Memory = piece.Memory;
        if (before is not null)
        {
            RunningIndex = before.RunningIndex + before.Memory.Length;
            before.Next = this;
        }
    }
}
