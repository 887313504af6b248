using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Typed;

/// <summary>A tree with keys and values of .NET types, for reading. Values are read when they are asked for.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public readonly struct ReadTree<TKey, TValue> : IEquatable<ReadTree<TKey, TValue>>
{
    private readonly ReadTree _tree;
    private readonly TreeDefinition<TKey, TValue>? _definition;

    internal ReadTree(ReadTree tree, TreeDefinition<TKey, TValue> definition)
    {
        _tree = tree;
        _definition = definition;
    }

    /// <summary>The same tree, of bytes.</summary>
    public ReadTree Bytes => _tree;

    /// <summary>Number of entries.</summary>
    public long Count => _tree.Count;

    private TreeDefinition<TKey, TValue> Definition => _definition ?? throw new ObjectDisposedException(nameof(ReadTree<,>));

    /// <summary>Finds a value.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        using KeyBytes bytes = KeyBytes.Of(Definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        bool exists = _tree.TryGet(bytes.Span, out ReadOnlySpan<byte> stored);
        value = exists ? Definition.Values.Decode(stored) : default;
        return exists;
    }

    /// <summary>True when the key exists; its value is not touched.</summary>
    public bool Contains(TKey key)
    {
        using KeyBytes bytes = KeyBytes.Of(Definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        return _tree.Contains(bytes.Span);
    }

    /// <summary>The first entry; false when the tree is empty.</summary>
    public bool TryGetFirst([MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value) =>
        Read(_tree.TryGetFirst(out TreeEntry entry), entry, out key, out value);

    /// <summary>The last entry; false when the tree is empty.</summary>
    public bool TryGetLast([MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value) =>
        Read(_tree.TryGetLast(out TreeEntry entry), entry, out key, out value);

    /// <summary>The last entry with a key ≤ <paramref name="limit"/>; false when there is none.</summary>
    public bool TryGetFloor(TKey limit, [MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        using KeyBytes bytes = KeyBytes.Of(Definition.Keys, limit, stackalloc byte[KeyBytes.OnStack]);
        return Read(_tree.TryGetFloor(bytes.Span, out TreeEntry entry), entry, out key, out value);
    }

    /// <summary>The first entry with a key ≥ <paramref name="limit"/>; false when there is none.</summary>
    public bool TryGetCeiling(TKey limit, [MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        using KeyBytes bytes = KeyBytes.Of(Definition.Keys, limit, stackalloc byte[KeyBytes.OnStack]);
        return Read(_tree.TryGetCeiling(bytes.Span, out TreeEntry entry), entry, out key, out value);
    }

    /// <summary>All entries in the order of keys.</summary>
    public TypedEnumerator<TKey, TValue> GetEnumerator() => new(_tree.GetEnumerator(), Definition);

    /// <summary>Entries with from ≤ key &lt; to.</summary>
    public TypedRange<TKey, TValue> Range(TKey from, TKey to) =>
        new(_tree.Range(KeyBytes.Kept(Definition.Keys, from), KeyBytes.Kept(Definition.Keys, to)), Definition);

    /// <summary>Entries with from ≤ key.</summary>
    public TypedRange<TKey, TValue> From(TKey from) => new(_tree.From(KeyBytes.Kept(Definition.Keys, from)), Definition);

    /// <summary>Entries with key &gt; <paramref name="after"/>.</summary>
    public TypedRange<TKey, TValue> After(TKey after) => new(_tree.After(KeyBytes.Kept(Definition.Keys, after)), Definition);

    /// <summary>Entries with key &lt; <paramref name="to"/>.</summary>
    public TypedRange<TKey, TValue> To(TKey to) => new(_tree.To(KeyBytes.Kept(Definition.Keys, to)), Definition);

    /// <summary>All entries from the last to the first.</summary>
    public TypedRange<TKey, TValue> Reverse() => new(_tree.Reverse(), Definition);

    /// <inheritdoc/>
    public bool Equals(ReadTree<TKey, TValue> other) => _tree == other._tree && _definition == other._definition;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ReadTree<TKey, TValue> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_tree, _definition);

    /// <summary>True when both handles are the same tree in the same transaction, with the same codecs.</summary>
    public static bool operator ==(ReadTree<TKey, TValue> left, ReadTree<TKey, TValue> right) => left.Equals(right);

    /// <summary>True when the handles are different.</summary>
    public static bool operator !=(ReadTree<TKey, TValue> left, ReadTree<TKey, TValue> right) => !left.Equals(right);

    private bool Read(
        bool found, TreeEntry entry, [MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        key = found ? Definition.Keys.Decode(entry.Key) : default;
        value = found ? Definition.Values.Decode(entry.Value) : default;
        return found;
    }
}
