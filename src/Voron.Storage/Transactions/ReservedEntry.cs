namespace Voron.Storage.Transactions;

/// <summary>
/// An entry whose value the caller writes in place. Its span refers to a buffer of its own, from which the next call copies the entry and
/// puts it like any other: late writes to the span change neither the redo nor a page.
/// </summary>
internal struct ReservedEntry()
{
    private const int NoTree = -1;
    private const int LeastBytes = 4 << 10;

    /// <summary>Longer arrays are not kept, so that a single long value does not hold memory forever.</summary>
    private const int MostKeptBytes = 1 << 20;

    /// <summary>The key, followed by the value.</summary>
    private byte[] _bytes = [];
    private int _keyBytes;
    private int _valueBytes;

    /// <summary>Index of the entry's tree.</summary>
    internal int Tree { get; private set; } = NoTree;

    internal readonly bool IsAny => Tree != NoTree;

    internal readonly ReadOnlySpan<byte> Key => _bytes.AsSpan(0, _keyBytes);

    /// <summary>The value of the entry begun last, for the caller to write.</summary>
    internal readonly Span<byte> Value => _bytes.AsSpan(_keyBytes, _valueBytes);

    internal void Begin(int tree, ReadOnlySpan<byte> key, int valueBytes)
    {
        byte[] room = _bytes;
        int bytes = key.Length + valueBytes;
        if (room.Length < bytes)
        {
            room = GC.AllocateUninitializedArray<byte>(Math.Max(bytes, LeastBytes));
        }

        // The key may be part of the previous value.
        key.CopyTo(room);
        _bytes = room;
        _keyBytes = key.Length;
        _valueBytes = valueBytes;
        Value.Clear();
        Tree = tree;
    }

    /// <summary>Forgets the entry; its bytes remain until the next one begins.</summary>
    internal void Forget() => Tree = NoTree;

    /// <summary>Gives up the buffer if it is too long to be kept.</summary>
    internal void Trim()
    {
        if (_bytes.Length > MostKeptBytes)
        {
            _bytes = [];
        }
    }
}
