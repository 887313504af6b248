using System.Text;

namespace Voron.Storage.Typed.Codecs;

/// <summary>UTF-8. Text that has none, half a surrogate pair, is refused: two such keys would become one.</summary>
internal sealed class StringCodec : IKeyCodec<string>
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public int? FixedBytes => null;

    public string Name => nameof(String);

    public int GetMaxBytes(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return Utf8.GetMaxByteCount(key.Length);
    }

    public int Encode(string key, Span<byte> destination) => Utf8.GetBytes(key, destination);

    public string Decode(ReadOnlySpan<byte> source)
    {
        try
        {
            return Utf8.GetString(source);
        }
        catch (DecoderFallbackException)
        {
            Throw.NoKey(typeof(string), "they are no UTF-8.");
            return string.Empty;
        }
    }
}
