using System.Buffers.Binary;

namespace Voron.Storage.Format;

/// <summary>
/// The end of the record of a tree with pending entries: for ranges of keys, since when entries may be pending there. Each step is a
/// transaction (8 bytes), the length of a key (1 byte) and the key, and counts from that key up to that of the next step. Keys ascend.
/// </summary>
internal static class PendingSteps
{
    internal const int MostSteps = 12;
    internal const int MostKeyBytes = 24;
    internal const int MostBytes = MostSteps * (HeadBytes + MostKeyBytes);
    private const int HeadBytes = sizeof(long) + 1;

    /// <summary>Writes a step; returns its length in bytes.</summary>
    internal static int Write(TransactionId since, ReadOnlySpan<byte> from, Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, since.Value);
        target[sizeof(long)] = (byte)from.Length;
        from.CopyTo(target[HeadBytes..]);
        return HeadBytes + from.Length;
    }

    /// <summary>Reads all steps; false if the bytes are none.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> bytes, out List<PendingStep> steps)
    {
        steps = [];
        while (bytes.Length >= HeadBytes)
        {
            long since = BinaryPrimitives.ReadInt64LittleEndian(bytes);
            int keyBytes = bytes[sizeof(long)];
            if (keyBytes > bytes.Length - HeadBytes || since <= 0)
            {
                return false;
            }

            byte[] from = bytes.Slice(HeadBytes, keyBytes).ToArray();
            if (steps.Count > 0 && from.AsSpan().SequenceCompareTo(steps[^1].From) <= 0)
            {
                return false;
            }

            steps.Add(new PendingStep(new TransactionId(since), from));
            bytes = bytes[(HeadBytes + keyBytes)..];
        }

        return bytes.IsEmpty;
    }
}
