namespace Voron.Storage;

/// <summary>
/// One entry of an enumeration. The key is valid until the enumeration moves, the value until the transaction ends (in a write
/// transaction: until its next change).
/// </summary>
public readonly ref struct TreeEntry
{
    internal TreeEntry(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Key = key;
        Value = value;
    }

    /// <summary>The key's bytes.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The value's bytes.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Both parts at once: <c>foreach (var (key, value) in tree)</c>.</summary>
    public void Deconstruct(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = Key;
        value = Value;
    }
}
