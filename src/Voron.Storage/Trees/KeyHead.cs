using System.Buffers.Binary;

namespace Voron.Storage.Trees;

/// <summary>The first bytes of a key as a number of the same order: most keys are compared by it alone.</summary>
internal static class KeyHead
{
    /// <summary>Returns the first eight bytes.</summary>
    internal static ulong Of(ReadOnlySpan<byte> key)
    {
        if (key.Length >= sizeof(ulong))
        {
            return BinaryPrimitives.ReadUInt64BigEndian(key);
        }

        Span<byte> head = stackalloc byte[sizeof(ulong)];
        head.Clear();
        key.CopyTo(head);
        return BinaryPrimitives.ReadUInt64BigEndian(head);
    }

    /// <summary>Compares the keys of two rows. Their entries are read only if slots and prefixes do not decide it.</summary>
    internal static int Compare(in TreeCursor left, in TreeCursor right)
    {
        ulong start = left.KeyStart(out int bytes);
        ulong other = right.KeyStart(out int otherBytes);
        int unknownBits = 8 * (sizeof(ulong) - Math.Min(bytes, otherBytes));
        return (start ^ other) >> unknownBits != 0 ? start.CompareTo(other) : left.Key.SequenceCompareTo(right.Key);
    }
}
