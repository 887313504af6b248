namespace Voron.Simulation.Crashes;

/// <summary>The order of keys: byte by byte, unsigned, a prefix first.</summary>
internal sealed class KeyOrder : IComparer<byte[]>
{
    internal static KeyOrder Instance { get; } = new();

    public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
}
