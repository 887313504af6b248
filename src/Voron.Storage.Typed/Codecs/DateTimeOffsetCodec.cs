namespace Voron.Storage.Typed.Codecs;

/// <summary>The moment, without the offset: that is what two of them are compared by.</summary>
internal sealed class DateTimeOffsetCodec : IKeyCodec<DateTimeOffset>
{
    private static readonly DateTimeCodec Moment = new();

    public int? FixedBytes => sizeof(long);

    public string Name => nameof(DateTimeOffset);

    public int GetMaxBytes(DateTimeOffset key) => sizeof(long);

    public int Encode(DateTimeOffset key, Span<byte> destination) => Moment.Encode(key.UtcDateTime, destination);

    public DateTimeOffset Decode(ReadOnlySpan<byte> source) => new(Moment.Decode(source), TimeSpan.Zero);
}
