namespace Voron.Storage;

/// <summary>A pair of key and value. Both are valid until the enumeration moves (in a write transaction: until the next change).</summary>
public readonly ref struct MultiEntry
{
    internal MultiEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Key = key;
        Value = value;
    }

    /// <summary>The key's bytes.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The value's bytes.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Returns key and value: <c>foreach (var (key, value) in tree)</c>.</summary>
    public void Deconstruct(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = Key;
        value = Value;
    }
}
