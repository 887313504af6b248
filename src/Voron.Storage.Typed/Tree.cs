using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Typed;

/// <summary>A tree of a write transaction with keys and values of .NET types. Sees the transaction's own changes.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public readonly struct Tree<TKey, TValue> : IEquatable<Tree<TKey, TValue>>
{
    private readonly Tree _tree;
    private readonly TreeDefinition<TKey, TValue>? _definition;

    internal Tree(Tree tree, TreeDefinition<TKey, TValue> definition)
    {
        _tree = tree;
        _definition = definition;
    }

    /// <summary>The same tree, of bytes.</summary>
    public Tree Bytes => _tree;

    /// <summary>Number of entries.</summary>
    public long Count => _tree.Count;

    private TreeDefinition<TKey, TValue> Definition => _definition ?? throw new ObjectDisposedException(nameof(Tree<,>));

    /// <summary>Inserts the key or replaces its value.</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(TKey key, TValue value)
    {
        using EntryBytes entry = EntryBytes.Of(Definition, key, value, stackalloc byte[KeyBytes.OnStack]);
        _tree.Put(entry.Key, entry.Value);
    }

    /// <summary>Inserts the key; false, with nothing changed, when it exists.</summary>
    public bool TryAdd(TKey key, TValue value)
    {
        using EntryBytes entry = EntryBytes.Of(Definition, key, value, stackalloc byte[KeyBytes.OnStack]);
        return _tree.TryAdd(entry.Key, entry.Value);
    }

    /// <summary>Inserts the key behind all others: the fastest way to fill a tree in ascending order.</summary>
    /// <exception cref="ArgumentException">The key is not above the last one; nothing changed.</exception>
    public void Append(TKey key, TValue value)
    {
        using EntryBytes entry = EntryBytes.Of(Definition, key, value, stackalloc byte[KeyBytes.OnStack]);
        _tree.Append(entry.Key, entry.Value);
    }

    /// <summary>Deletes the key; false when it does not exist.</summary>
    public bool Delete(TKey key)
    {
        using KeyBytes bytes = KeyBytes.Of(Definition.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        return _tree.Delete(bytes.Span);
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to and returns how many there were.</summary>
    public long DeleteRange(TKey from, TKey to)
    {
        using KeyBytes low = KeyBytes.Of(Definition.Keys, from, stackalloc byte[KeyBytes.OnStack]);
        using KeyBytes high = KeyBytes.Of(Definition.Keys, to, stackalloc byte[KeyBytes.OnStack]);
        return _tree.DeleteRange(low.Span, high.Span);
    }

    /// <summary>The same tree for reading.</summary>
    public ReadTree<TKey, TValue> AsReadTree() => new(_tree.AsReadTree(), Definition);

    /// <summary>The same tree for reading.</summary>
    public static implicit operator ReadTree<TKey, TValue>(Tree<TKey, TValue> tree) => tree.AsReadTree();

    /// <summary>Finds a value.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value) => AsReadTree().TryGet(key, out value);

    /// <summary>True when the key exists; its value is not touched.</summary>
    public bool Contains(TKey key) => AsReadTree().Contains(key);

    /// <summary>All entries in the order of keys.</summary>
    public TypedEnumerator<TKey, TValue> GetEnumerator() => AsReadTree().GetEnumerator();

    /// <summary>Entries with from ≤ key &lt; to.</summary>
    public TypedRange<TKey, TValue> Range(TKey from, TKey to) => AsReadTree().Range(from, to);

    /// <summary>Entries with from ≤ key.</summary>
    public TypedRange<TKey, TValue> From(TKey from) => AsReadTree().From(from);

    /// <summary>Entries with key &lt; <paramref name="to"/>.</summary>
    public TypedRange<TKey, TValue> To(TKey to) => AsReadTree().To(to);

    /// <summary>All entries from the last to the first.</summary>
    public TypedRange<TKey, TValue> Reverse() => AsReadTree().Reverse();

    /// <inheritdoc/>
    public bool Equals(Tree<TKey, TValue> other) => _tree == other._tree && _definition == other._definition;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Tree<TKey, TValue> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_tree, _definition);

    /// <summary>True when both handles are the same tree in the same transaction, with the same codecs.</summary>
    public static bool operator ==(Tree<TKey, TValue> left, Tree<TKey, TValue> right) => left.Equals(right);

    /// <summary>True when the handles are different.</summary>
    public static bool operator !=(Tree<TKey, TValue> left, Tree<TKey, TValue> right) => !left.Equals(right);
}
