using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Voron.Storage;

/// <summary>
/// One entry of a tree. The key of an enumeration's entry is valid until the enumeration moves, all else until the transaction ends (in a
/// write transaction: until its next change). A long value is not looked at before it is asked for.
/// </summary>
public readonly ref struct TreeEntry
{
    private readonly ReadTree _tree;

    /// <summary>The value, or the reference to the pages that it is in.</summary>
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
    /// It was written by a value writer, longer than one of its pieces: no span can hold it. <see cref="OpenValueReader"/> reads it.
    /// </exception>
    public ReadOnlySpan<byte> Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _isOverflow ? _tree.ReadLongValue(_stored) : _stored;
    }

    /// <summary>Length of the value, whatever it is; a long value is not looked at.</summary>
    public long ValueBytes => _isOverflow ? _tree.LengthOfLongValue(_stored) : _stored.Length;

    /// <summary>Opens the value for reading, of any length, as <see cref="ReadTree.TryOpenValueReader"/> does.</summary>
    public PipeReader OpenValueReader() => _tree.OpenReader(_stored, _isOverflow);

    /// <summary>
    /// Both parts at once: <c>foreach (var (key, value) in tree)</c>. Asks for the value as <see cref="Value"/> does.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Deconstruct(out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = Key;
        value = Value;
    }
}
