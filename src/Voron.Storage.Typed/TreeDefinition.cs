namespace Voron.Storage.Typed;

/// <summary>What a typed tree is: its name and its codecs. Made once, kept in a static field, used by all transactions.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public sealed class TreeDefinition<TKey, TValue>
{
    /// <summary>Names a tree and its codecs.</summary>
    public TreeDefinition(string name, IKeyCodec<TKey> keys, IValueCodec<TValue> values)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(values);
        Name = name;
        Keys = keys;
        Values = values;
    }

    /// <summary>The tree's name.</summary>
    public string Name { get; }

    /// <summary>How keys become bytes.</summary>
    public IKeyCodec<TKey> Keys { get; }

    /// <summary>How values become bytes.</summary>
    public IValueCodec<TValue> Values { get; }
}
