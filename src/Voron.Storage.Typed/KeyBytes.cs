using System.Buffers;

namespace Voron.Storage.Typed;

/// <summary>The bytes of a key for one call: in the caller's frame when they fit there, otherwise in a rented array.</summary>
internal ref struct KeyBytes
{
    /// <summary>Room in the caller's frame.</summary>
    internal const int OnStack = 128;

    private byte[]? _rented;

    internal ReadOnlySpan<byte> Span { get; private set; }

    internal static KeyBytes Of<TKey>(IKeyCodec<TKey> codec, TKey key, Span<byte> room)
    {
        KeyBytes bytes = default;
        int most = codec.GetMaxBytes(key);
        if (most > room.Length)
        {
            bytes._rented = ArrayPool<byte>.Shared.Rent(most);
            room = bytes._rented;
        }

        bytes.Span = room[..codec.Encode(key, room)];
        return bytes;
    }

    /// <summary>A copy that stays, for ranges, whose ends are looked at again and again.</summary>
    internal static byte[] Kept<TKey>(IKeyCodec<TKey> codec, TKey key)
    {
        using KeyBytes bytes = Of(codec, key, stackalloc byte[OnStack]);
        return bytes.Span.ToArray();
    }

    public void Dispose()
    {
        if (_rented is { } rented)
        {
            _rented = null;
            ArrayPool<byte>.Shared.Return(rented);
        }
    }
}
