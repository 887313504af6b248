namespace Voron.Bench.Raw;

/// <summary>Places without order, the same in each round.</summary>
internal sealed class RandomPlace
{
    private RandomBytes _random = new(0x21);

    internal int Below(int bound) => _random.Below(bound);
}
