using System.Buffers;
using System.Globalization;

namespace Voron.Storage.Transfer;

/// <summary>Decodes the keys and values of one section of a dump.</summary>
/// <param name="header">The header of the section.</param>
/// <param name="warnings">Receives what is doubtful.</param>
internal sealed class DumpDecoder(DumpHeader header, List<string> warnings)
{
    private static readonly SearchValues<byte> HexDigits = SearchValues.Create("0123456789abcdefABCDEF"u8);

    private bool _hasLoneBackslash;

    /// <summary>
    /// Reads the bytes of a text and returns how much of it was read: all, except for the beginning of an escape or pair of digits at the
    /// end of a part that is not the last one of its line.
    /// </summary>
    internal int Decode(ReadOnlySpan<byte> text, bool isEnd, long line, Span<byte> bytes, out int length)
    {
        int at = 0;
        length = 0;
        while (true)
        {
            at += header.IsPrint
                ? DumpText.DecodePrint(text[at..], bytes[length..], out int more)
                : DumpText.DecodeHex(text[at..], bytes[length..], out more);
            length += more;
            ReadOnlySpan<byte> rest = text[at..];
            if (rest.IsEmpty || (!isEnd && DumpText.IsBeginning(rest, header.IsPrint)))
            {
                return at;
            }

            if (!header.IsPrint || !header.IsOfLmdb)
            {
                RefuseText(rest, at, line);
            }

            NoteLoneBackslash(line);
            bytes[length++] = rest[0];
            at++;
        }
    }

    private void NoteLoneBackslash(long line)
    {
        if (!_hasLoneBackslash)
        {
            _hasLoneBackslash = true;
            warnings.Add($"Line {line}: a backslash that begins no escape was taken as it is. mdb_dump -p writes backslashes so, and then "
                + "not every text can be read back in one way only: dump without -p to be sure.");
        }
    }

    private void RefuseText(ReadOnlySpan<byte> rest, int at, long line)
    {
        if (header.IsPrint)
        {
            Throw.BadLine(line, $"the backslash in column {Column(at)} is not followed by another one or by two hexadecimal digits.");
        }

        int digits = rest.IndexOfAnyExcept(HexDigits);
        if (digits < 0)
        {
            Throw.BadLine(line, "it has an odd number of hexadecimal digits: a part of it is missing. Dump again.");
        }

        Throw.BadLine(line, $"column {Column(at + digits)} is not a hexadecimal digit, and the header says format=bytevalue.");
    }

    /// <summary>The column of a character after the space that a line begins with, from 1; of a line in parts that in its part.</summary>
    private static string Column(int at) => (at + 2).ToString(CultureInfo.InvariantCulture);
}
