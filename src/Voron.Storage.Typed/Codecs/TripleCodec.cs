namespace Voron.Storage.Typed.Codecs;

/// <summary>A pair whose second part is a pair.</summary>
internal sealed class TripleCodec<T1, T2, T3>(IKeyCodec<T1> first, IKeyCodec<T2> second, IKeyCodec<T3> third)
    : IKeyCodec<(T1 First, T2 Second, T3 Third)>
{
    private readonly PairCodec<T2, T3> _rest = new(second, third);
    private readonly PairCodec<T1, (T2 First, T3 Second)> _nested = new(first, new PairCodec<T2, T3>(second, third));

    public int? FixedBytes => _nested.FixedBytes;

    public string Name => _nested.Name;

    public int GetMaxBytes((T1 First, T2 Second, T3 Third) key) => _nested.GetMaxBytes((key.First, (key.Second, key.Third)));

    public int Encode((T1 First, T2 Second, T3 Third) key, Span<byte> destination) =>
        _nested.Encode((key.First, (key.Second, key.Third)), destination);

    /// <summary>The bytes with which all triples with this first part begin.</summary>
    internal byte[] EncodeFirst(T1 part) => _nested.EncodeFirst(part);

    /// <summary>The bytes of a second part, between those of the first and the third.</summary>
    internal byte[] EncodeSecond(T2 part) => _rest.EncodeFirst(part);

    public (T1 First, T2 Second, T3 Third) Decode(ReadOnlySpan<byte> source)
    {
        (T1 first, (T2 second, T3 third)) = _nested.Decode(source);
        return (first, second, third);
    }
}
