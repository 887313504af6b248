using System.Text;
using Voron.Storage.Format;

namespace Voron.Cli;

/// <summary>Keys and values as they are typed: what <see cref="KeyText"/> writes, read back.</summary>
internal static class ByteText
{
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
}
