using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Voron.Storage;

/// <summary>
/// One entry of a tree. The key of an enumerated entry is valid until the enumeration moves; everything else until the transaction ends
/// (in a write transaction: until its next change). A large value is read only on access.
/// </summary>
public readonly ref struct TreeEntry
{
    private readonly ReadTree _tree;

    /// <summary>The value, or the reference to its pages.</summary>
    private readonly ReadOnlySpan<byte> _stored;
    private readonly bool _isOverflow;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal TreeEntry(ReadTree tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> stored, bool isOverflow)
    {
        _tree = tree;
        Key = key;
        _stored = stored;
        _isOverflow = isOverflow;
    }

    /// <summary>The key's bytes.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The value's bytes.</summary>
    /// <exception cref="ValueInPiecesException">
    /// A value writer wrote the value in several pieces, so no span can hold it. Use <see cref="OpenValueReader"/>.
    /// </exception>
    public ReadOnlySpan<byte> Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _isOverflow ? _tree.ReadLongValue(_stored) : _stored;
    }

    /// <summary>The length of the value in bytes, of any kind; does not read a large value.</summary>
    public long ValueBytes => _isOverflow ? _tree.LengthOfLongValue(_stored) : _stored.Length;

    /// <summary>Opens the value, of any length, for reading, like <see cref="ReadTree.TryOpenValueReader"/>.</summary>
    public PipeReader OpenValueReader() => _tree.OpenReader(_stored, _isOverflow);

    /// <summary>
    /// Returns key and value: <c>foreach (var (key, value) in tree)</c>. Reads the value like <see cref="Value"/>.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Deconstruct(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = Key;
        value = Value;
    }
}
