using System.Buffers;

namespace Voron.Storage;

/// <summary>
/// One change of a committed transaction, as its result. Key and value are valid until the next transaction is read from the feed; in a
/// transaction of more than 16 MiB, until the next change is.
/// </summary>
public readonly struct Change
{
    private readonly ReadOnlyMemory<byte> _name;
    private readonly ReadOnlyMemory<byte> _key;

    internal Change(ChangeKind kind, string tree, ReadOnlyMemory<byte> name, ReadOnlyMemory<byte> key, ReadOnlySequence<byte> value)
    {
        Kind = kind;
        Tree = tree;
        _name = name;
        _key = key;
        Value = value;
    }

    /// <summary>What happened.</summary>
    public ChangeKind Kind { get; }

    /// <summary>The tree; of a renamed one the old name. Bytes that are not valid UTF-8 appear as U+FFFD.</summary>
    public string Tree { get; }

    /// <summary>The name of the tree as bytes.</summary>
    public ReadOnlySpan<byte> TreeNameBytes => _name.Span;

    /// <summary>The key; of a deleted range the first key. Empty for changes of whole trees.</summary>
    public ReadOnlySpan<byte> Key => _key.Span;

    /// <summary>
    /// The value that was put; of a deleted range the first key that was kept; of a renamed tree the new name in UTF-8; otherwise empty.
    /// </summary>
    public ReadOnlySequence<byte> Value { get; }
}
