using System.Buffers;

namespace Voron.Storage.Transfer;

/// <summary>
/// Keys and values as text of LMDB's dump format: all bytes as two hexadecimal digits (bytevalue), or printable ASCII as it is and other
/// bytes as a backslash and two digits (print). A backslash is such another byte.
/// </summary>
internal static class DumpText
{
    private const byte Backslash = (byte)'\\';

    private static readonly SearchValues<byte> Plain = SearchValues.Create(PrintableWithoutBackslash());

    /// <summary>The longest text that this number of bytes can have.</summary>
    internal static long MostBytes(long bytes, bool print) => bytes * (print ? 3 : 2);

    /// <summary>Writes the text of the bytes and returns its length.</summary>
    internal static int Encode(ReadOnlySpan<byte> bytes, Span<byte> text, bool print)
    {
        if (!print)
        {
            Convert.TryToHexStringLower(bytes, text, out int written);
            return written;
        }

        int length = 0;
        while (!bytes.IsEmpty)
        {
            int plain = bytes.IndexOfAnyExcept(Plain);
            plain = plain < 0 ? bytes.Length : plain;
            bytes[..plain].CopyTo(text[length..]);
            length += plain;
            bytes = bytes[plain..];
            if (!bytes.IsEmpty)
            {
                text[length] = Backslash;
                Convert.TryToHexStringLower(bytes[..1], text[(length + 1)..], out _);
                length += 3;
                bytes = bytes[1..];
            }
        }

        return length;
    }

    /// <summary>
    /// Reads the bytes of digits. Returns how many digits it has read: an even number, less than all if the rest is one digit, or if
    /// another character follows.
    /// </summary>
    internal static int DecodeHex(ReadOnlySpan<byte> text, Span<byte> bytes, out int length)
    {
        Convert.FromHexString(text, bytes, out int consumed, out length);
        return consumed;
    }

    /// <summary>
    /// Reads the bytes of printed text. Returns how many characters it has read: less than all if a backslash follows that is not one of
    /// an escape, or the rest is the beginning of one.
    /// </summary>
    internal static int DecodePrint(ReadOnlySpan<byte> text, Span<byte> bytes, out int length)
    {
        int at = 0;
        length = 0;
        while (at < text.Length)
        {
            ReadOnlySpan<byte> rest = text[at..];
            int plain = rest.IndexOf(Backslash);
            plain = plain < 0 ? rest.Length : plain;
            rest[..plain].CopyTo(bytes[length..]);
            length += plain;
            at += plain;
            rest = rest[plain..];
            if (rest.Length >= 2 && rest[1] == Backslash)
            {
                bytes[length++] = Backslash;
                at += 2;
            }
            else if (rest.Length >= 3 && DecodeHex(rest.Slice(1, 2), bytes[length..], out _) == 2)
            {
                length++;
                at += 3;
            }
            else
            {
                break;
            }
        }

        return at;
    }

    /// <summary>Whether more text can make an escape or a pair of digits of these characters, which follow what was read.</summary>
    internal static bool IsBeginning(ReadOnlySpan<byte> rest, bool print) => print
        ? rest.Length == 1 || (rest.Length == 2 && char.IsAsciiHexDigit((char)rest[1]))
        : rest.Length == 1 && char.IsAsciiHexDigit((char)rest[0]);

    private static byte[] PrintableWithoutBackslash() =>
        [.. Enumerable.Range(0x20, 0x7F - 0x20).Select(static one => (byte)one).Where(static one => one != Backslash)];
}
