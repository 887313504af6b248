using System.Buffers.Binary;

namespace Voron.Storage.Trees;

/// <summary>The first eight bytes of a key as a number of the same order: most keys are compared by it alone.</summary>
internal static class KeyHead
{
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
}
