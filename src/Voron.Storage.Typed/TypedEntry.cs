namespace Voron.Storage.Typed;

/// <summary>One entry of a typed tree. Key and value are read when they are asked for, each time anew.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public readonly ref struct TypedEntry<TKey, TValue>
{
    private readonly TreeEntry _entry;
    private readonly TreeDefinition<TKey, TValue> _definition;

    internal TypedEntry(TreeEntry entry, TreeDefinition<TKey, TValue> definition)
    {
        _entry = entry;
        _definition = definition;
    }

    /// <summary>The key.</summary>
    public TKey Key => _definition.Keys.Decode(_entry.Key);

    /// <summary>The value.</summary>
    public TValue Value => _definition.Values.Decode(_entry.Value);

    /// <summary>Both parts at once: <c>foreach (var (key, value) in tree)</c>.</summary>
    public void Deconstruct(out TKey key, out TValue value)
    {
        key = Key;
        value = Value;
    }
}
