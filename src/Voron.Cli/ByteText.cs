using System.Globalization;
using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Typed;

namespace Voron.Cli;

/// <summary>
/// Keys and values as they are typed: what <see cref="KeyText"/> writes, read back, and keys of two types in the bytes of their codecs.
/// </summary>
internal static class ByteText
{
    /// <summary>What <c>--key-type</c> takes.</summary>
    internal const string Int64Type = "int64";

    /// <inheritdoc cref="Int64Type"/>
    internal const string GuidType = "guid";

    /// <summary>Of every argument that is a key.</summary>
    internal const string KeyHelp = "The key as text, int64:42, guid:..., or hex:0a0b for any bytes.";

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <exception cref="FormatException">Not an even number of hexadecimal digits behind <c>hex:</c>.</exception>
    internal static byte[] Parse(string text)
    {
        if (!text.StartsWith(KeyText.HexMark, StringComparison.Ordinal))
        {
            return Strict.GetBytes(text);
        }

        try
        {
            return Convert.FromHexString(text.AsSpan(KeyText.HexMark.Length));
        }
        catch (FormatException)
        {
            throw new FormatException($"'{text}' is not '{KeyText.HexMark}' and an even number of hexadecimal digits.");
        }
    }

    /// <exception cref="FormatException">No bytes, number or GUID behind its mark.</exception>
    internal static byte[] ParseKey(string text)
    {
        if (text.StartsWith(KeyText.Int64Mark, StringComparison.Ordinal))
        {
            ReadOnlySpan<char> digits = text.AsSpan(KeyText.Int64Mark.Length);
            return long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
                ? Encode(KeyCodec.Int64, number)
                : throw new FormatException($"'{text}' is not '{KeyText.Int64Mark}' and a whole number of 64 bits.");
        }

        if (text.StartsWith(KeyText.GuidMark, StringComparison.Ordinal))
        {
            return Guid.TryParse(text.AsSpan(KeyText.GuidMark.Length), out Guid id)
                ? Encode(KeyCodec.Guid, id)
                : throw new FormatException($"'{text}' is not '{KeyText.GuidMark}' and a GUID of 32 hexadecimal digits.");
        }

        return Parse(text);
    }

    /// <summary>A key as it can be typed: of the type, where it has as many bytes as that, and otherwise as any bytes.</summary>
    internal static string KeyOf(ReadOnlySpan<byte> key, string? type) => type switch
    {
        Int64Type when key.Length == KeyCodec.Int64.FixedBytes =>
            string.Create(CultureInfo.InvariantCulture, $"{KeyText.Int64Mark}{KeyCodec.Int64.Decode(key)}"),
        GuidType when key.Length == KeyCodec.Guid.FixedBytes => $"{KeyText.GuidMark}{KeyCodec.Guid.Decode(key)}",
        _ => KeyText.Whole(key),
    };

    private static byte[] Encode<T>(IKeyCodec<T> codec, T key)
    {
        byte[] bytes = new byte[codec.GetMaxBytes(key)];
        codec.Encode(key, bytes);
        return bytes;
    }
}
