namespace Voron.Storage;

/// <summary>
/// Some of the values of a key, in order, all of one length: the first one, and the others one after the other. Valid until the enumeration
/// moves (in a write transaction: until the next change).
/// </summary>
public readonly ref struct ValueBlock
{
    internal ValueBlock(ReadOnlySpan<byte> first, ReadOnlySpan<byte> rest)
    {
        First = first;
        Rest = rest;
    }

    /// <summary>The first value.</summary>
    public ReadOnlySpan<byte> First { get; }

    /// <summary>The other values: <see cref="Count"/> − 1 times as many bytes as the first one has.</summary>
    public ReadOnlySpan<byte> Rest { get; }

    /// <summary>Number of values, the first one included.</summary>
    public int Count => Rest.IsEmpty ? 1 : 1 + (Rest.Length / First.Length);
}
