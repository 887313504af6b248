using System.Text;
using System.Text.Unicode;

namespace Voron.Storage.Format;

/// <summary>
/// Keys in messages, in the form that the command line tool takes: UTF-8 text without control characters is itself, anything else is
/// <c>hex:</c> and the bytes in hexadecimal digits.
/// </summary>
internal static class KeyText
{
    private const string HexMark = "hex:";

    /// <summary>Longer keys are cut: a message is for reading.</summary>
    private const int MostBytes = 100;

    internal static string Of(ReadOnlySpan<byte> key) => key.Length <= MostBytes
        ? Whole(key)
        : $"{HexMark}{Convert.ToHexStringLower(key[..MostBytes])}… ({key.Length} bytes)";

    private static string Whole(ReadOnlySpan<byte> key)
    {
        if (Utf8.IsValid(key))
        {
            string text = Encoding.UTF8.GetString(key);
            if (!text.StartsWith(HexMark, StringComparison.Ordinal) && !text.Any(char.IsControl))
            {
                return text;
            }
        }

        return HexMark + Convert.ToHexStringLower(key);
    }

    /// <summary>A range of keys from <paramref name="low"/> to below <paramref name="high"/>; a null end is open.</summary>
    internal static string Range(byte[]? low, byte[]? high) => (low, high) switch
    {
        (null, null) => "all keys",
        (null, _) => $"keys below '{Of(high)}'",
        (_, null) => $"keys from '{Of(low)}' on",
        _ => $"keys from '{Of(low)}' to below '{Of(high)}'",
    };
}
