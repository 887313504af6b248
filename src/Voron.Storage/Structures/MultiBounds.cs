namespace Voron.Storage.Structures;

/// <summary>The ends of a range of keys, as bounds of entries; empty for no bound.</summary>
internal readonly ref struct MultiBounds
{
    internal MultiBounds(scoped ReadOnlySpan<byte> low, scoped ReadOnlySpan<byte> high, MultiEnds ends, Span<byte> room)
    {
        Span<byte> lowRoom = room[..(room.Length / 2)];
        Span<byte> highRoom = room[lowRoom.Length..];
        bool isPrefix = (ends & MultiEnds.Prefix) != 0;
        Low = (ends & MultiEnds.From) != 0 ? lowRoom[..MultiKey.Write(low, lowRoom)]
            : (ends & MultiEnds.After) != 0 ? lowRoom[..MultiKey.WriteBehind(low, lowRoom)]
            : isPrefix ? lowRoom[..MultiKey.WriteOpen(low, lowRoom)] : default;
        High = (ends & MultiEnds.To) != 0 ? highRoom[..MultiKey.Write(high, highRoom)]
            : (ends & MultiEnds.UpTo) != 0 ? highRoom[..MultiKey.WriteBehind(high, highRoom)]
            : isPrefix ? Successor(highRoom[..MultiKey.WriteOpen(high, highRoom)]) : default;
    }

    internal readonly ReadOnlySpan<byte> Low;

    internal readonly ReadOnlySpan<byte> High;

    /// <summary>Returns the first bytes above all that begin with these; empty if there are none.</summary>
    private static Span<byte> Successor(Span<byte> bytes)
    {
        int length = bytes.LastIndexOfAnyExcept((byte)0xFF) + 1;
        if (length > 0)
        {
            bytes[length - 1]++;
        }

        return bytes[..length];
    }
}
