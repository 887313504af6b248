using System.Buffers.Binary;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// How far a build has come: an entry of the index, its key (with its length before it, 2 bytes, little-endian) and the primary key.
/// Entries are in the order of keys and then of primary keys.
/// </summary>
internal static class BuildPosition
{
    internal static byte[] Of(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        byte[] position = new byte[sizeof(ushort) + key.Length + primaryKey.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(position, checked((ushort)key.Length));
        key.CopyTo(position.AsSpan(sizeof(ushort)));
        primaryKey.CopyTo(position.AsSpan(sizeof(ushort) + key.Length));
        return position;
    }

    /// <summary>Whether stored bytes are a position.</summary>
    internal static bool IsOne(ReadOnlySpan<byte> position) =>
        position.Length >= sizeof(ushort) && BinaryPrimitives.ReadUInt16LittleEndian(position) <= position.Length - sizeof(ushort);

    /// <summary>Returns whether an entry is behind a position; all are behind null.</summary>
    internal static bool IsBehind(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey, byte[]? position)
    {
        if (position is null)
        {
            return true;
        }

        ReadOnlySpan<byte> entry = position.AsSpan(sizeof(ushort));
        int keyBytes = BinaryPrimitives.ReadUInt16LittleEndian(position);
        int order = key.SequenceCompareTo(entry[..keyBytes]);
        return order > 0 || (order == 0 && primaryKey.SequenceCompareTo(entry[keyBytes..]) > 0);
    }

    /// <summary>Returns whether a position is before another one; null is before all others.</summary>
    internal static bool IsBefore(byte[]? position, byte[]? other)
    {
        if (position is null || other is null)
        {
            return position is null && other is not null;
        }

        int keyBytes = BinaryPrimitives.ReadUInt16LittleEndian(other);
        return IsBehind(other.AsSpan(sizeof(ushort), keyBytes), other.AsSpan(sizeof(ushort) + keyBytes), position);
    }
}
