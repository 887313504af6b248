namespace Voron.Storage.Typed;

/// <summary>Enumerates entries of a typed tree; made by foreach.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public ref struct TypedEnumerator<TKey, TValue> : IDisposable
{
    private readonly TreeDefinition<TKey, TValue> _definition;
    private TreeEnumerator _entries;

    internal TypedEnumerator(TreeEnumerator entries, TreeDefinition<TKey, TValue> definition)
    {
        _entries = entries;
        _definition = definition;
    }

    /// <summary>The present entry.</summary>
    public readonly TypedEntry<TKey, TValue> Current => new(_entries.Current, _definition);

    /// <summary>Goes to the next entry; false at the end.</summary>
    /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
    public bool MoveNext() => _entries.MoveNext();

    /// <summary>Ends the enumeration.</summary>
    public void Dispose() => _entries.Dispose();
}
