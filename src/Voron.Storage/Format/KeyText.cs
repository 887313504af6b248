using System.Buffers;
using System.Globalization;
using System.Text.Unicode;

namespace Voron.Storage.Format;

/// <summary>
/// Keys and values as text, in messages of the engine and on the command line, which is compiled with this file and reads the same text
/// back: UTF-8 without control characters is itself, anything else is <c>hex:</c> and the bytes in hexadecimal digits, and so is text that
/// would be read back as something else.
/// </summary>
internal static class KeyText
{
    internal const string HexMark = "hex:";

    /// <summary>Before a number of 64 bits, for which the command line takes the bytes that sort like it.</summary>
    internal const string Int64Mark = "int64:";

    /// <summary>The same for a GUID.</summary>
    internal const string GuidMark = "guid:";

    /// <summary>Longer keys are cut in messages: a message is for reading.</summary>
    private const int MostBytes = 100;

    /// <summary>All of it, however long.</summary>
    internal static string Whole(ReadOnlySpan<byte> bytes)
    {
        Span<char> text = bytes.Length <= 256 ? stackalloc char[256] : new char[bytes.Length];
        bool isText = Utf8.ToUtf16(bytes, text, out _, out int length, replaceInvalidSequences: false) == OperationStatus.Done;
        ReadOnlySpan<char> read = text[..length];
        return isText && !HasMark(read) && !HasControl(read) ? read.ToString() : HexMark + Convert.ToHexStringLower(bytes);
    }

    /// <summary>Cut after this many bytes, between characters, and followed by the whole length.</summary>
    internal static string Shortened(ReadOnlySpan<byte> bytes, int longest) => bytes.Length <= longest
        ? Whole(bytes)
        : string.Create(CultureInfo.InvariantCulture, $"{Whole(WholeCharacters(bytes[..longest]))}… ({bytes.Length} bytes)");

    /// <summary>A key in a message.</summary>
    internal static string Of(ReadOnlySpan<byte> key) => Shortened(key, MostBytes);

    /// <summary>A range of keys from <paramref name="low"/> to below <paramref name="high"/>; a null end is open.</summary>
    internal static string Range(byte[]? low, byte[]? high) => (low, high) switch
    {
        (null, null) => "all keys",
        (null, _) => $"keys below '{Of(high)}'",
        (_, null) => $"keys from '{Of(low)}' on",
        _ => $"keys from '{Of(low)}' to below '{Of(high)}'",
    };

    private static bool HasMark(ReadOnlySpan<char> text) =>
        text.StartsWith(HexMark) || text.StartsWith(Int64Mark) || text.StartsWith(GuidMark);

    private static bool HasControl(ReadOnlySpan<char> text)
    {
        foreach (char one in text)
        {
            if (char.IsControl(one))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Leaves out a character that the cut went through.</summary>
    private static ReadOnlySpan<byte> WholeCharacters(ReadOnlySpan<byte> bytes)
    {
        for (int back = 0; back < Math.Min(4, bytes.Length); back++)
        {
            ReadOnlySpan<byte> rest = bytes[..^back];
            if (Utf8.IsValid(rest))
            {
                return rest;
            }
        }

        return bytes;
    }
}
