using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>
/// Keys of the entries of a multi-value tree: the key, each 00 in it followed by FF, then 00 01, then a value. Such keys are in the order
/// of their pairs, and all that begin with the same bytes up to 00 01 have one key.
/// </summary>
internal static class MultiKey
{
    private const byte Zero = 0;
    private const byte ZeroInKey = 0xFF;
    private const byte End = 1;

    /// <summary>Instead of the end: above all pairs of the key and below those of the next one.</summary>
    private const byte BehindEnd = 2;
    private const int EndBytes = 2;

    /// <summary>Returns the length of a key with its end.</summary>
    internal static int LengthOf(ReadOnlySpan<byte> key) => key.Length + key.Count(Zero) + EndBytes;

    /// <summary>Writes a key with its end and returns the length. What has no room in the target is cut off.</summary>
    internal static int Write(ReadOnlySpan<byte> key, Span<byte> target)
    {
        int length = WriteOpen(key, target);
        return AddEnd(target, length, End);
    }

    /// <summary>Writes what is above all pairs of a key and below those of the next one.</summary>
    internal static int WriteBehind(ReadOnlySpan<byte> key, Span<byte> target)
    {
        int length = WriteOpen(key, target);
        return AddEnd(target, length, BehindEnd);
    }

    /// <summary>Writes a key without an end: what the entries of all keys begin with that begin with it.</summary>
    internal static int WriteOpen(ReadOnlySpan<byte> key, Span<byte> target)
    {
        int at = 0;
        while (true)
        {
            int zero = key.IndexOf(Zero);
            ReadOnlySpan<byte> part = zero < 0 ? key : key[..(zero + 1)];
            part = part[..Math.Min(part.Length, target.Length - at)];
            part.CopyTo(target[at..]);
            at += part.Length;
            if (zero < 0 || at == target.Length)
            {
                return at;
            }

            target[at++] = ZeroInKey;
            key = key[(zero + 1)..];
        }
    }

    /// <summary>Makes a key with its end one that is above all pairs of the key.</summary>
    internal static void MoveBehind(Span<byte> keyWithEnd) => keyWithEnd[^1] = BehindEnd;

    /// <summary>Takes <see cref="MoveBehind"/> back.</summary>
    internal static void MoveBack(Span<byte> keyWithEnd) => keyWithEnd[^1] = End;

    /// <summary>Returns how many bytes of an entry's key are the key with its end; the first value follows them.</summary>
    internal static int LengthIn(ReadOnlySpan<byte> entryKey, PageNumber root)
    {
        int at = 0;
        while (true)
        {
            int zero = entryKey[at..].IndexOf(Zero);
            int next = at + zero + 1;
            if (zero < 0 || next == entryKey.Length || entryKey[next] is not (ZeroInKey or End))
            {
                Throw.BadBlock(root);
            }

            at = next + 1;
            if (entryKey[next] == End)
            {
                return at;
            }
        }
    }

    /// <summary>Returns the key, in the buffer if it has zeros.</summary>
    internal static ReadOnlySpan<byte> Read(ReadOnlySpan<byte> keyWithEnd, Span<byte> buffer)
    {
        ReadOnlySpan<byte> rest = keyWithEnd[..^EndBytes];
        int zero = rest.IndexOf(Zero);
        if (zero < 0)
        {
            return rest;
        }

        int length = 0;
        for (; zero >= 0; zero = rest.IndexOf(Zero))
        {
            rest[..(zero + 1)].CopyTo(buffer[length..]);
            length += zero + 1;
            rest = rest[Math.Min(zero + 2, rest.Length)..];
        }

        rest.CopyTo(buffer[length..]);
        return buffer[..(length + rest.Length)];
    }

    private static int AddEnd(Span<byte> target, int length, byte end)
    {
        if (length < target.Length)
        {
            target[length++] = Zero;
        }

        if (length < target.Length)
        {
            target[length++] = end;
        }

        return length;
    }
}
