using System.Buffers;
using System.Globalization;
using System.Text;

namespace Voron.Cli;

/// <summary>
/// Keys and values as text and back: UTF-8 text stands as it is, anything else as <c>hex:</c> and its bytes in hexadecimal digits.
/// </summary>
internal static class ByteText
{
    private const string HexMark = "hex:";

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Text that <see cref="Parse"/> turns into the same bytes.</summary>
    internal static string Of(ReadOnlySpan<byte> bytes)
    {
        Span<char> text = bytes.Length <= 256 ? stackalloc char[256] : new char[bytes.Length];
        if (System.Text.Unicode.Utf8.ToUtf16(bytes, text, out _, out int length, replaceInvalidSequences: false) != OperationStatus.Done)
        {
            return HexMark + Convert.ToHexStringLower(bytes);
        }

        ReadOnlySpan<char> read = text[..length];
        foreach (char one in read)
        {
            if (char.IsControl(one))
            {
                return HexMark + Convert.ToHexStringLower(bytes);
            }
        }

        return read.StartsWith(HexMark) ? HexMark + Convert.ToHexStringLower(bytes) : read.ToString();
    }

    /// <summary>Like <see cref="Of"/>, cut after so many bytes, with the length behind it.</summary>
    internal static string Shortened(ReadOnlySpan<byte> bytes, int longest) => bytes.Length <= longest
        ? Of(bytes)
        : string.Create(CultureInfo.InvariantCulture, $"{Of(WholeCharacters(bytes[..longest]))}… ({bytes.Length} bytes)");

    /// <exception cref="FormatException">Not an even number of hexadecimal digits behind <c>hex:</c>.</exception>
    internal static byte[] Parse(string text)
    {
        if (!text.StartsWith(HexMark, StringComparison.Ordinal))
        {
            return Strict.GetBytes(text);
        }

        try
        {
            return Convert.FromHexString(text.AsSpan(HexMark.Length));
        }
        catch (FormatException)
        {
            throw new FormatException($"'{text}' is not '{HexMark}' and an even number of hexadecimal digits.");
        }
    }

    /// <summary>Leaves out a character that the cut went through.</summary>
    private static ReadOnlySpan<byte> WholeCharacters(ReadOnlySpan<byte> bytes)
    {
        for (int back = 0; back < Math.Min(4, bytes.Length); back++)
        {
            ReadOnlySpan<byte> rest = bytes[..^back];
            if (System.Text.Unicode.Utf8.IsValid(rest))
            {
                return rest;
            }
        }

        return bytes;
    }
}
