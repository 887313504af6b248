using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;
using System.Numerics;

namespace Voron.Storage.Typed.Codecs;

/// <summary>
/// The bytes of another codec behind one that says how they are stored: 0, as they are; 1, compressed, behind their length (4 bytes,
/// little-endian).
/// </summary>
internal sealed class BrotliCodec<T>(IValueCodec<T> inner, int quality, int from) : IValueCodec<T>
{
    private const byte Plain = 0;
    private const byte Packed = 1;
    private const int HeaderBytes = 1 + sizeof(int);
    private const int MinWindowBits = 10;
    private const int MaxWindowBits = 22;

    /// <summary>
    /// A longer value gets its memory step by step as it is unpacked: damaged bytes may claim any length, and must not take memory for it.
    /// </summary>
    private const int MostBytesAtOnce = 1 << 20;

    public void Encode(T value, IBufferWriter<byte> destination)
    {
        ArrayBufferWriter<byte> plain = ValueBuffer.Take();
        inner.Encode(value, plain);
        if (plain.WrittenCount < from || !TryPack(plain.WrittenSpan, destination))
        {
            Span<byte> room = destination.GetSpan(1 + plain.WrittenCount);
            room[0] = Plain;
            plain.WrittenSpan.CopyTo(room[1..]);
            destination.Advance(1 + plain.WrittenCount);
        }

        ValueBuffer.Return(plain);
    }

    public T Decode(ReadOnlySpan<byte> source)
    {
        if (!source.IsEmpty && source[0] == Plain)
        {
            return inner.Decode(source[1..]);
        }

        if (source.Length <= HeaderBytes || source[0] != Packed)
        {
            string found = source.IsEmpty ? "there are none." : $"they begin with {source[0]:X2}, and there are {source.Length}.";
            Throw.NoValue(typeof(T), found);
        }

        int length = BinaryPrimitives.ReadInt32LittleEndian(source[1..]);
        if (length <= 0)
        {
            Throw.NoValue(typeof(T), $"{length} is no length.");
        }

        byte[] plain = Unpack(source[HeaderBytes..], length);
        try
        {
            return inner.Decode(plain.AsSpan(0, length));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(plain);
        }
    }

    /// <summary>False, with nothing written, when the bytes do not become shorter.</summary>
    private bool TryPack(ReadOnlySpan<byte> plain, IBufferWriter<byte> destination)
    {
        if (plain.Length <= HeaderBytes)
        {
            return false;
        }

        // The compressed bytes have no more room than the plain ones: if they do not fit there, they are not wanted.
        Span<byte> room = destination.GetSpan(plain.Length)[..plain.Length];
        int window = Math.Clamp(BitOperations.Log2((uint)plain.Length) + 1, MinWindowBits, MaxWindowBits);
        if (!BrotliEncoder.TryCompress(plain, room[HeaderBytes..], out int packedBytes, quality, window))
        {
            return false;
        }

        room[0] = Packed;
        BinaryPrimitives.WriteInt32LittleEndian(room[1..], plain.Length);
        destination.Advance(HeaderBytes + packedBytes);
        return true;
    }

    /// <summary>A rented array with exactly this number of bytes in it.</summary>
    private static byte[] Unpack(ReadOnlySpan<byte> packed, int length)
    {
        byte[] plain = ArrayPool<byte>.Shared.Rent(Math.Min(length, MostBytesAtOnce));
        bool isWhole = plain.Length >= length
            ? BrotliDecoder.TryDecompress(packed, plain.AsSpan(0, length), out int written) && written == length
            : TryUnpackLong(packed, length, ref plain);
        if (!isWhole)
        {
            ArrayPool<byte>.Shared.Return(plain);
            Throw.NoValue(typeof(T), $"what should be {length} compressed bytes is not.");
        }

        return plain;
    }

    private static bool TryUnpackLong(ReadOnlySpan<byte> packed, int length, ref byte[] plain)
    {
        using BrotliDecoder decoder = default;
        int used = 0;
        while (true)
        {
            OperationStatus status = decoder.Decompress(
                packed, plain.AsSpan(used, Math.Min(plain.Length, length) - used), out int read, out int written);
            packed = packed[read..];
            used += written;
            if (status != OperationStatus.DestinationTooSmall || used == length)
            {
                return status == OperationStatus.Done && used == length;
            }

            byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(length, 2L * plain.Length));
            plain.AsSpan(0, used).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(plain);
            plain = larger;
        }
    }
}
