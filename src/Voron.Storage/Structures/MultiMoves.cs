namespace Voron.Storage.Structures;

/// <summary>Moves of a position from key to key and within the values of a key.</summary>
internal static class MultiMoves
{
    /// <summary>Moves to the first pair with a key ≥ this one.</summary>
    internal static bool SeekKey(this ref MultiPosition position, scoped ReadOnlySpan<byte> key) =>
        position.SeekEntry(position.Sought[..MultiKey.Write(key, position.Sought)]);

    /// <summary>Moves to the first value ≥ this one of exactly this key, or to where it would be.</summary>
    internal static bool SeekValue(this ref MultiPosition position, scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        Span<byte> pair = position.Sought[..position.Compose(key, value, out int keyBytes)];
        return (position.SeekCeiling(pair, keyBytes) && position.IsOfKey(pair[..keyBytes])) || position.LeaveBetween(pair, keyBytes);
    }

    /// <summary>Moves to exactly this pair, or to where it would be.</summary>
    internal static bool SeekPair(this ref MultiPosition position, scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        Span<byte> pair = position.Sought[..position.Compose(key, value, out int keyBytes)];
        return position.SeekExactly(pair, keyBytes);
    }

    /// <summary>Moves to the first pair of the next key.</summary>
    internal static bool MoveNextKey(this ref MultiPosition position)
    {
        if (position.State is not (MultiState.OnPair or MultiState.Between))
        {
            return position.MoveNext();
        }

        Span<byte> key = TakeKey(ref position);
        if (position.State == MultiState.OnPair)
        {
            if (!position.MoveNextEntry())
            {
                return false;
            }

            if (!position.IsOfKey(key))
            {
                return position.RequireOrder(position.KeyWithEnd.SequenceCompareTo(key) > 0);
            }
        }

        MultiKey.MoveBehind(key);
        return position.SeekEntry(key);
    }

    /// <summary>Moves to the last pair of the key before.</summary>
    internal static bool MovePreviousKey(this ref MultiPosition position) =>
        position.State is MultiState.OnPair or MultiState.Between ? position.SeekBelow(TakeKey(ref position)) : position.MovePrevious();

    /// <summary>Moves to the first value of the key.</summary>
    internal static bool MoveFirstValue(this ref MultiPosition position)
    {
        Span<byte> key = TakeKey(ref position);
        return (position.SeekEntry(key) && position.IsOfKey(key)) || position.LeaveBetween(key, key.Length);
    }

    /// <summary>Moves to the last value of the key.</summary>
    internal static bool MoveLastValue(this ref MultiPosition position)
    {
        Span<byte> key = TakeKey(ref position);
        MultiKey.MoveBehind(key);
        bool isThere = position.SeekBelow(key);
        MultiKey.MoveBack(key);
        return (isThere && position.IsOfKey(key)) || position.LeaveBetween(key, key.Length);
    }

    /// <summary>Moves to the last value of a key.</summary>
    internal static bool SeekLastOf(this ref MultiPosition position, scoped ReadOnlySpan<byte> key)
    {
        Span<byte> behind = position.Sought[..MultiKey.WriteBehind(key, position.Sought)];
        return position.SeekBelow(behind)
            && position.KeyWithEnd.Length == behind.Length && position.KeyWithEnd.StartsWith(behind[..^1]);
    }

    /// <summary>In an enumeration: moves to the next value of the key; if there is none, the position ends.</summary>
    internal static bool MoveNextInKey(this ref MultiPosition position)
    {
        if (!position.IsLastOfEntry)
        {
            return position.MoveInEntry();
        }

        return MoveNextBlock(ref position);
    }

    /// <summary>In an enumeration: moves to the first value of the next block of the key; if there is none, the position ends.</summary>
    internal static bool MoveNextBlock(this ref MultiPosition position)
    {
        Span<byte> key = TakeKey(ref position);
        return position.MoveNextEntry() && (position.IsOfKey(key) || position.Leave(MultiState.BehindLast));
    }

    /// <summary>In an enumeration: moves to the previous value of the key; if there is none, the position ends.</summary>
    internal static bool MovePreviousInKey(this ref MultiPosition position)
    {
        Span<byte> key = TakeKey(ref position);
        return position.MovePrevious() && (position.IsOfKey(key) || position.Leave(MultiState.BeforeFirst));
    }

    /// <summary>Moves to the next value of the key; if there is none, the position stays.</summary>
    internal static bool MoveNextValue(this ref MultiPosition position)
    {
        bool wasBetween = position.State == MultiState.Between;
        Span<byte> key = TakeKey(ref position);
        if (!wasBetween && !position.IsLastOfEntry)
        {
            return position.MoveInEntry();
        }

        int pairBytes = KeepPair(ref position, key.Length);
        return (position.MoveNext() && position.IsOfKey(key)) || GoBack(ref position, pairBytes, key.Length, wasBetween);
    }

    /// <summary>Moves to the previous value of the key; if there is none, the position stays.</summary>
    internal static bool MovePreviousValue(this ref MultiPosition position)
    {
        bool wasBetween = position.State == MultiState.Between;
        Span<byte> key = TakeKey(ref position);
        int pairBytes = KeepPair(ref position, key.Length);
        return (position.MovePrevious() && position.IsOfKey(key)) || GoBack(ref position, pairBytes, key.Length, wasBetween);
    }

    /// <summary>Copies the key of the position, with its end.</summary>
    private static Span<byte> TakeKey(ref MultiPosition position)
    {
        ReadOnlySpan<byte> key = position.AnyKeyWithEnd;
        key.CopyTo(position.Sought);
        return position.Sought[..key.Length];
    }

    /// <summary>Copies the pair of the position behind the key that was taken, and returns its length.</summary>
    private static int KeepPair(ref MultiPosition position, int keyBytes)
    {
        ReadOnlySpan<byte> value = position.AnyValue;
        value.CopyTo(position.Sought[keyBytes..]);
        return keyBytes + value.Length;
    }

    private static bool GoBack(ref MultiPosition position, int pairBytes, int keyBytes, bool wasBetween)
    {
        ReadOnlySpan<byte> pair = position.Sought[..pairBytes];
        if (wasBetween)
        {
            return position.LeaveBetween(pair, keyBytes);
        }

        position.SeekExactly(pair, keyBytes);
        return false;
    }
}
