using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>
/// Changes a block of a fixed-size tree in place, or fills a new one. The bytes are those of a block that <see cref="FixedColumns"/> has
/// opened, in memory of the transaction alone.
/// </summary>
internal readonly ref struct FixedEdit
{
    private readonly Span<byte> _block;
    private readonly TreeShape _shape;
    private readonly int _capacity;

    internal FixedEdit(Span<byte> block, TreeShape shape)
    {
        _block = block;
        _shape = shape;
        _capacity = (block.Length - FixedHead.SizeBytes) / shape.EntryBytes;
    }

    internal int Count => Head.Count;

    internal int Capacity => _capacity;

    private ref FixedHead Head => ref MemoryMarshal.AsRef<FixedHead>(_block);

    /// <summary>Length of a block with places for this many entries.</summary>
    internal static int BytesOf(TreeShape shape, int capacity) => FixedHead.SizeBytes + (capacity * shape.EntryBytes);

    /// <summary>Makes these bytes a block without entries, which is no block yet.</summary>
    internal static FixedEdit Create(Span<byte> block, TreeShape shape)
    {
        FixedEdit edit = new(block, shape);
        edit.Head = new FixedHead { Version = FixedHead.CurrentVersion };
        return edit;
    }

    /// <summary>Adds an entry, with its key in the ordered form, behind the last one of a block with these numbers.</summary>
    internal static void Append(
        Span<byte> block, TreeShape shape, int count, int capacity, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int keys = FixedHead.SizeBytes + (count * shape.KeyBytes);
        int values = FixedHead.SizeBytes + (capacity * shape.KeyBytes) + (count * shape.ValueBytes);
        FixedKey.ToColumn(shape.KeyKind, key, block.Slice(keys, shape.KeyBytes));
        value.CopyTo(block.Slice(values, shape.ValueBytes));
        MemoryMarshal.AsRef<FixedHead>(block).Count = (ushort)(count + 1);
    }

    /// <summary>Adds entries, with their keys in the form of a column, in the same way. Returns the keys as they are stored.</summary>
    internal static ReadOnlySpan<byte> AppendColumns(
        Span<byte> block, TreeShape shape, int count, int capacity, ReadOnlySpan<byte> keys, ReadOnlySpan<byte> values)
    {
        Span<byte> stored = block.Slice(FixedHead.SizeBytes + (count * shape.KeyBytes), keys.Length);
        keys.CopyTo(stored);
        FixedKey.Normalize(shape.KeyKind, stored);
        values.CopyTo(block[(FixedHead.SizeBytes + (capacity * shape.KeyBytes) + (count * shape.ValueBytes))..]);
        MemoryMarshal.AsRef<FixedHead>(block).Count = (ushort)(count + (keys.Length / shape.KeyBytes));
        return stored;
    }

    /// <summary>Inserts an entry; there must be a place for it.</summary>
    internal void Insert(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int moved = Count - index;
        if (moved > 0)
        {
            Keys(index, moved).CopyTo(Keys(index + 1, moved));
            Values(index, moved).CopyTo(Values(index + 1, moved));
        }

        key.CopyTo(Keys(index, 1));
        value.CopyTo(Values(index, 1));
        Head.Count++;
    }

    /// <summary>Replaces the value of an entry.</summary>
    internal void Set(int index, ReadOnlySpan<byte> value) => value.CopyTo(Values(index, 1));

    /// <summary>Removes entries, but not all of them.</summary>
    internal void Remove(int index, int count)
    {
        int behind = Count - index - count;
        Keys(index + count, behind).CopyTo(Keys(index, behind));
        Values(index + count, behind).CopyTo(Values(index, behind));
        Head.Count -= (ushort)count;
    }

    /// <summary>Adds entries of another block behind the last one.</summary>
    internal void Add(in FixedColumns from, int index, int count)
    {
        int end = Count;
        from.Keys.Slice(index * _shape.KeyBytes, count * _shape.KeyBytes).CopyTo(Keys(end, count));
        from.Values.Slice(index * _shape.ValueBytes, count * _shape.ValueBytes).CopyTo(Values(end, count));
        Head.Count += (ushort)count;
    }

    private Span<byte> Keys(int index, int count) =>
        _block.Slice(FixedHead.SizeBytes + (index * _shape.KeyBytes), count * _shape.KeyBytes);

    private Span<byte> Values(int index, int count) =>
        _block.Slice(FixedHead.SizeBytes + (_capacity * _shape.KeyBytes) + (index * _shape.ValueBytes), count * _shape.ValueBytes);
}
