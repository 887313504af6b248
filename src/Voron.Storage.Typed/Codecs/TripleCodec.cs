namespace Voron.Storage.Typed.Codecs;

/// <summary>A pair whose second part is a pair.</summary>
internal sealed class TripleCodec<T1, T2, T3>(IKeyCodec<(T1 First, (T2 First, T3 Second) Second)> nested)
    : IKeyCodec<(T1 First, T2 Second, T3 Third)>
{
    public int? FixedBytes => nested.FixedBytes;

    public int GetMaxBytes((T1 First, T2 Second, T3 Third) key) => nested.GetMaxBytes((key.First, (key.Second, key.Third)));

    public int Encode((T1 First, T2 Second, T3 Third) key, Span<byte> destination) =>
        nested.Encode((key.First, (key.Second, key.Third)), destination);

    public (T1 First, T2 Second, T3 Third) Decode(ReadOnlySpan<byte> source)
    {
        (T1 first, (T2 second, T3 third)) = nested.Decode(source);
        return (first, second, third);
    }
}
