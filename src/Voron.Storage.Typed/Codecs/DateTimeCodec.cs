using System.Buffers.Binary;

namespace Voron.Storage.Typed.Codecs;

/// <summary>Ticks of UTC.</summary>
internal sealed class DateTimeCodec : IKeyCodec<DateTime>
{
    public int? FixedBytes => sizeof(long);

    public string Name => nameof(DateTime);

    public int GetMaxBytes(DateTime key) => sizeof(long);

    public int Encode(DateTime key, Span<byte> destination)
    {
        if (key.Kind != DateTimeKind.Utc)
        {
            Throw.NotUtc(key);
        }

        BinaryPrimitives.WriteInt64BigEndian(destination, key.Ticks);
        return sizeof(long);
    }

    public DateTime Decode(ReadOnlySpan<byte> source)
    {
        Throw.IfNotBytes(source, sizeof(long), typeof(DateTime));
        long ticks = BinaryPrimitives.ReadInt64BigEndian(source);
        if (ticks < 0 || ticks > DateTime.MaxValue.Ticks)
        {
            Throw.NoKey(typeof(DateTime), "the time lies outside the calendar.");
        }

        return new DateTime(ticks, DateTimeKind.Utc);
    }
}
