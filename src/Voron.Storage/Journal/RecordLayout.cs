using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>Lengths and checksums of journal records.</summary>
internal static class RecordLayout
{
    /// <summary>
    /// Longest body of a record in bytes: the record, its padding and its chunk's header together still fit 31 bits.
    /// </summary>
    private const int MaxBodyBytes = 0x7FF0_0000;

    /// <summary>Returns the length of a record with a body of this length, padding included. Throws if it is too long.</summary>
    internal static int RecordBytes(int bodyBytes)
    {
        if (bodyBytes > MaxBodyBytes)
        {
            Throw.RecordTooLong(bodyBytes, MaxBodyBytes);
        }

        return RoundUp(RecordHeader.SizeBytes + bodyBytes, FormatConstants.RecordAlignmentBytes);
    }

    /// <summary>Computes the checksum of a record, given as header and body.</summary>
    internal static ulong ChecksumOf(ReadOnlySpan<byte> record) => Checksum.Compute(
        record[sizeof(ulong)..RecordHeader.SizeBytes], record[RecordHeader.SizeBytes..]);

    internal static int RoundUp(int value, int multiple) => checked(value + multiple - 1) / multiple * multiple;
}
