using Voron.Storage.Typed.Codecs;

namespace Voron.Storage.Typed;

/// <summary>Codecs around codecs of values.</summary>
public static class ValueCodec
{
    /// <summary>
    /// Compresses what another codec writes, by Brotli. Short values, and those that do not become shorter, are stored as they are, with
    /// one byte before them. Decoding what this codec has not written is a <see cref="FormatException"/>.
    /// </summary>
    /// <param name="inner">The codec of the values.</param>
    /// <param name="quality">From 0, the fastest, to 11, the shortest. Every quality reads what any other has written.</param>
    /// <param name="from">Length in bytes from which on values are compressed.</param>
    /// <typeparam name="T">The type of values.</typeparam>
    public static IValueCodec<T> Brotli<T>(IValueCodec<T> inner, int quality = 1, int from = 512)
    {
        const int MaxQuality = 11;
        ArgumentNullException.ThrowIfNull(inner);
        ArgumentOutOfRangeException.ThrowIfNegative(quality);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(quality, MaxQuality);
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        return new BrotliCodec<T>(inner, quality, from);
    }
}
