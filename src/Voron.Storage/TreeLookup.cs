namespace Voron.Storage;

/// <summary>What the lookup of many keys found for one of them. The value is valid like that of a single lookup.</summary>
public readonly ref struct TreeLookup
{
    internal TreeLookup(int index, bool exists, ReadOnlySpan<byte> value)
    {
        Index = index;
        Exists = exists;
        Value = value;
    }

    /// <summary>Index of the key among those that were asked for.</summary>
    public int Index { get; }

    /// <summary>True when the key exists.</summary>
    public bool Exists { get; }

    /// <summary>The value; empty when the key does not exist.</summary>
    public ReadOnlySpan<byte> Value { get; }
}
