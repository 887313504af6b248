using System.Buffers.Binary;
using System.IO.Compression;

namespace Voron.Bench.Reports;

/// <summary>
/// A picture of dots in a few colors on a transparent ground, as a PNG file: however many dots there are, it stays as small as its cells.
/// </summary>
internal sealed class DotRaster(int width, int height)
{
    private const int PaletteImage = 3;
    private const uint CrcPolynomial = 0xEDB88320;

    /// <summary>A row of pixels each, with the filter type 0 in front; a pixel is the number of its color, 0 is the ground.</summary>
    private readonly byte[] _pixels = new byte[(width + 1) * height];

    /// <summary>Sets a pixel; places beyond the edges count as the nearest one inside.</summary>
    /// <param name="x">From the left.</param>
    /// <param name="y">From the top.</param>
    /// <param name="color">The number of a color, from 1 on.</param>
    internal void Set(int x, int y, byte color) =>
        _pixels[(Math.Clamp(y, 0, height - 1) * (width + 1)) + 1 + Math.Clamp(x, 0, width - 1)] = color;

    /// <summary>The file.</summary>
    /// <param name="colors">As <c>#rrggbb</c>; the first one has the number 1.</param>
    internal byte[] Encode(IReadOnlyList<string> colors)
    {
        using MemoryStream file = new();
        file.Write([0x89, (byte)'P', (byte)'N', (byte)'G', 0x0D, 0x0A, 0x1A, 0x0A]);
        byte[] header = new byte[13];
        BinaryPrimitives.WriteInt32BigEndian(header, width);
        BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(4), height);
        header[8] = 8;
        header[9] = PaletteImage;
        Write(file, "IHDR"u8, header);
        Write(file, "PLTE"u8, [255, 255, 255, .. colors.SelectMany(static color => Convert.FromHexString(color.AsSpan(1)))]);
        Write(file, "tRNS"u8, [0]);
        using MemoryStream packed = new();
        using (ZLibStream zip = new(packed, CompressionLevel.SmallestSize, leaveOpen: true))
        {
            zip.Write(_pixels);
        }

        Write(file, "IDAT"u8, packed.ToArray());
        Write(file, "IEND"u8, []);
        return file.ToArray();
    }

    private static void Write(MemoryStream file, ReadOnlySpan<byte> type, ReadOnlySpan<byte> content)
    {
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteInt32BigEndian(number, content.Length);
        file.Write(number);
        file.Write(type);
        file.Write(content);
        BinaryPrimitives.WriteUInt32BigEndian(number, ~Crc(Crc(uint.MaxValue, type), content));
        file.Write(number);
    }

    private static uint Crc(uint crc, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            crc ^= value;
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (crc >> 1) ^ ((crc & 1) * CrcPolynomial);
            }
        }

        return crc;
    }
}
