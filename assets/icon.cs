// Draws assets/icon.png, the 128×128 icon of the packages: a V whose corners are the nodes of a tree. From the root of the repository:
//
//     dotnet run assets/icon.cs
//
// Every pixel is the mean of 8×8 samples of plain geometry, so the picture is the same on every machine.
#:property PublishAot=false
#:property RestorePackagesWithLockFile=false
using System.Buffers.Binary;
using System.IO.Compression;

const int Size = 128;
const int Samples = 8;

byte[] rows = new byte[Size * (1 + (Size * 4))];
for (int y = 0; y < Size; y++)
{
    for (int x = 0; x < Size; x++)
    {
        Pixel(x, y).CopyTo(rows, (y * (1 + (Size * 4))) + 1 + (x * 4));
    }
}

string path = args.Length > 0 ? args[0] : Path.Combine("assets", "icon.png");
File.WriteAllBytes(path, Png(rows));
Console.WriteLine($"{path}: {Size}×{Size}, {new FileInfo(path).Length} bytes");

// The mean colour of a pixel, with the part of it that the picture covers as its alpha.
static byte[] Pixel(int x, int y)
{
    double red = 0, green = 0, blue = 0, covered = 0;
    for (int i = 0; i < Samples * Samples; i++)
    {
        double px = x + (((i % Samples) + 0.5) / Samples);
        double py = y + (((i / Samples) + 0.5) / Samples);
        if (Colour(px, py) is { } colour)
        {
            (red, green, blue, covered) = (red + colour.Red, green + colour.Green, blue + colour.Blue, covered + 1);
        }
    }

    return covered == 0
        ? [0, 0, 0, 0]
        : [(byte)(red / covered), (byte)(green / covered), (byte)(blue / covered), (byte)(255 * covered / (Samples * Samples))];
}

// What the picture shows at a point; null outside its rounded square.
static (double Red, double Green, double Blue)? Colour(double x, double y)
{
    if (RoundedBox(x, y, 64, 64, 62, 62, 26) > 0)
    {
        return null;
    }

    // From deep blue at the upper left to teal at the lower right.
    double slope = (x + y) / 256;
    (double Red, double Green, double Blue) ground = (24 + (-4 * slope), 34 + (96 * slope), 84 + (52 * slope));
    (double Red, double Green, double Blue) ink = (245, 248, 252);
    (double Red, double Green, double Blue) amber = (255, 190, 70);

    double root = RoundedBox(x, y, 64, 95, 22, 13, 6);
    double left = RoundedBox(x, y, 33, 36, 19, 13, 6);
    double right = RoundedBox(x, y, 95, 36, 19, 13, 6);
    if (root < 0)
    {
        return IsBetweenCells(x - 64, 22, 3) ? ground : amber;
    }

    if (left < 0 || right < 0)
    {
        return IsBetweenCells(x - (left < 0 ? 33 : 95), 19, 2) ? ground : ink;
    }

    double branch = Math.Min(Segment(x, y, 33, 45, 57, 88), Segment(x, y, 95, 45, 71, 88));
    bool isNearNode = root < 3.5 || left < 3.5 || right < 3.5;
    return branch < 4.5 && !isNearNode ? ink : ground;
}

// True on the lines that part a node into cells.
static bool IsBetweenCells(double fromCentre, double halfWidth, int cells)
{
    double cell = 2 * halfWidth / cells;
    double at = (fromCentre + halfWidth) / cell;
    double nearest = Math.Round(at);
    return nearest > 0 && nearest < cells && Math.Abs(at - nearest) * cell < 1.4;
}

// Signed distance to a box with round corners; negative inside.
static double RoundedBox(double x, double y, double centreX, double centreY, double halfWidth, double halfHeight, double radius)
{
    double dx = Math.Abs(x - centreX) - halfWidth + radius;
    double dy = Math.Abs(y - centreY) - halfHeight + radius;
    double outside = Math.Sqrt(Math.Pow(Math.Max(dx, 0), 2) + Math.Pow(Math.Max(dy, 0), 2));
    return outside + Math.Min(Math.Max(dx, dy), 0) - radius;
}

// Distance to a line from one point to another.
static double Segment(double x, double y, double fromX, double fromY, double toX, double toY)
{
    (double dx, double dy) = (toX - fromX, toY - fromY);
    double along = Math.Clamp((((x - fromX) * dx) + ((y - fromY) * dy)) / ((dx * dx) + (dy * dy)), 0, 1);
    return Math.Sqrt(Math.Pow(x - fromX - (along * dx), 2) + Math.Pow(y - fromY - (along * dy), 2));
}

// A PNG of 8-bit red, green, blue and alpha; every row starts with its filter, 0 for none.
static byte[] Png(byte[] rows)
{
    byte[] head = new byte[13];
    BinaryPrimitives.WriteInt32BigEndian(head, Size);
    BinaryPrimitives.WriteInt32BigEndian(head.AsSpan(4), Size);
    (head[8], head[9]) = (8, 6);
    using MemoryStream packed = new();
    using (ZLibStream deflate = new(packed, CompressionLevel.SmallestSize, leaveOpen: true))
    {
        deflate.Write(rows);
    }

    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
        .. Chunk("IHDR"u8, head), .. Chunk("IDAT"u8, packed.ToArray()), .. Chunk("IEND"u8, [])];
}

static byte[] Chunk(ReadOnlySpan<byte> kind, ReadOnlySpan<byte> content)
{
    byte[] chunk = new byte[12 + content.Length];
    BinaryPrimitives.WriteInt32BigEndian(chunk, content.Length);
    kind.CopyTo(chunk.AsSpan(4));
    content.CopyTo(chunk.AsSpan(8));
    BinaryPrimitives.WriteUInt32BigEndian(chunk.AsSpan(8 + content.Length), Crc(chunk.AsSpan(4, 4 + content.Length)));
    return chunk;
}

static uint Crc(ReadOnlySpan<byte> bytes)
{
    uint crc = uint.MaxValue;
    foreach (byte one in bytes)
    {
        crc ^= one;
        for (int bit = 0; bit < 8; bit++)
        {
            crc = (crc >> 1) ^ ((crc & 1) == 0 ? 0u : 0xEDB88320u);
        }
    }

    return ~crc;
}
