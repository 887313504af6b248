namespace Voron.Storage.Typed;

/// <summary>A range of entries, enumerated with foreach.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public readonly ref struct TypedRange<TKey, TValue>
{
    private readonly TreeRange _range;
    private readonly TreeDefinition<TKey, TValue> _definition;

    internal TypedRange(TreeRange range, TreeDefinition<TKey, TValue> definition)
    {
        _range = range;
        _definition = definition;
    }

    /// <summary>The same entries in the opposite order.</summary>
    public TypedRange<TKey, TValue> Reverse() => new(_range.Reverse(), _definition);

    /// <summary>Begins the enumeration.</summary>
    public TypedEnumerator<TKey, TValue> GetEnumerator() => new(_range.GetEnumerator(), _definition);
}
