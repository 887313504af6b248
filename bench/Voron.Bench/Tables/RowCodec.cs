using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Voron.Storage.Typed;

namespace Voron.Bench.Tables;

/// <summary>A row as bytes: numbers, then the texts with their lengths, then the rest.</summary>
internal sealed class RowCodec : IValueCodec<BenchRow>
{
    private const int NumberBytes = sizeof(long) + sizeof(int) + sizeof(long);

    public void Encode(BenchRow value, IBufferWriter<byte> destination)
    {
        Span<byte> numbers = destination.GetSpan(NumberBytes);
        BinaryPrimitives.WriteInt64LittleEndian(numbers, value.Id);
        BinaryPrimitives.WriteInt32LittleEndian(numbers[sizeof(long)..], value.Age);
        BinaryPrimitives.WriteInt64LittleEndian(numbers[(sizeof(long) + sizeof(int))..], value.Score);
        destination.Advance(NumberBytes);
        WriteText(value.Email, destination);
        WriteText(value.City, destination);
        destination.Write(value.Text);
    }

    public BenchRow Decode(ReadOnlySpan<byte> source)
    {
        long id = BinaryPrimitives.ReadInt64LittleEndian(source);
        int age = BinaryPrimitives.ReadInt32LittleEndian(source[sizeof(long)..]);
        long score = BinaryPrimitives.ReadInt64LittleEndian(source[(sizeof(long) + sizeof(int))..]);
        source = source[NumberBytes..];
        string email = ReadText(ref source);
        string city = ReadText(ref source);
        return new BenchRow(id, email, city, age, score, source.ToArray());
    }

    private static void WriteText(string text, IBufferWriter<byte> destination)
    {
        Span<byte> room = destination.GetSpan(1 + Encoding.UTF8.GetMaxByteCount(text.Length));
        int length = Encoding.UTF8.GetBytes(text, room[1..]);
        room[0] = checked((byte)length);
        destination.Advance(1 + length);
    }

    private static string ReadText(ref ReadOnlySpan<byte> source)
    {
        int end = 1 + source[0];
        string text = Encoding.UTF8.GetString(source[1..end]);
        source = source[end..];
        return text;
    }
}
