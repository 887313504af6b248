namespace Voron.Storage;

/// <summary>An entry of a fixed-size tree. In a write transaction its value is valid until the tree changes.</summary>
public readonly ref struct FixedEntry<TKey>
    where TKey : unmanaged
{
    internal FixedEntry(TKey key, ReadOnlySpan<byte> value)
    {
        Key = key;
        Value = value;
    }

    /// <summary>The key.</summary>
    public TKey Key { get; }

    /// <summary>The value, valid while the transaction lives.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Takes the entry apart.</summary>
    public void Deconstruct(out TKey key, out ReadOnlySpan<byte> value)
    {
        key = Key;
        value = Value;
    }
}
