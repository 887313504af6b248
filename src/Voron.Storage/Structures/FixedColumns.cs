using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>
/// The columns of a block of a fixed-size tree. Every length in the block is checked when it is opened, so columns never reach out of it;
/// the order of the keys is not: with wrong keys a search finds something else, and it ends.
/// </summary>
internal readonly ref struct FixedColumns
{
    /// <summary>The keys, in the form of their type.</summary>
    internal readonly ReadOnlySpan<byte> Keys;

    /// <summary>The values of those keys.</summary>
    internal readonly ReadOnlySpan<byte> Values;

    internal readonly int Count;

    private readonly TreeShape _shape;

    private FixedColumns(ReadOnlySpan<byte> block, TreeShape shape, int count, int capacity)
    {
        _shape = shape;
        Count = count;
        Capacity = capacity;
        Keys = block.Slice(FixedHead.SizeBytes, count * shape.KeyBytes);
        Values = block.Slice(FixedHead.SizeBytes + (capacity * shape.KeyBytes), count * shape.ValueBytes);
    }

    /// <summary>Entries that the block has places for.</summary>
    internal int Capacity { get; }

    /// <summary>Opens a block; false if its bytes are none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryOpen(ReadOnlySpan<byte> block, TreeShape shape, out FixedColumns columns)
    {
        int room = block.Length - FixedHead.SizeBytes;
        FixedHead head = room > 0 ? MemoryMarshal.Read<FixedHead>(block) : default;
        int capacity = (int)((uint)Math.Max(room, 0) / (uint)shape.EntryBytes);
        bool isBlock = head is { Version: FixedHead.CurrentVersion, Reserved: 0 } && head.Count > 0 && head.Count <= capacity
            && capacity * shape.EntryBytes == room;
        columns = isBlock ? new FixedColumns(block, shape, head.Count, capacity) : default;
        return isBlock;
    }

    /// <summary>Returns the value of an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> Value(int index) => Values.Slice(index * _shape.ValueBytes, _shape.ValueBytes);

    /// <summary>Returns the key of an entry in the form of its type.</summary>
    internal ReadOnlySpan<byte> Key(int index) => Keys.Slice(index * _shape.KeyBytes, _shape.KeyBytes);

    /// <summary>Writes the ordered form of a key and returns its length.</summary>
    internal int WriteKey(int index, Span<byte> ordered) => FixedKey.ToOrdered(_shape.KeyKind, Key(index), ordered);

    /// <summary>Returns the index of the first key ≥ this one, which is in its ordered form.</summary>
    internal int Find(ReadOnlySpan<byte> ordered, out bool exact) => FixedKey.Find(_shape.KeyKind, Keys, ordered, out exact);
}
