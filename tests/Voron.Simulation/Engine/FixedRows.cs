using System.Buffers.Binary;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Engine;

/// <summary>
/// Rows of even keys in fixed-size trees. In the first tree a row is some entries, one behind the other: their keys are the row's key and
/// the number of the part, their values the parts of the row's value behind its length. The second tree has a number without a value for
/// each row.
/// </summary>
internal sealed class FixedRows : RowTrees
{
    /// <summary>The longest keys that rows may have.</summary>
    internal const int MostKeyBytes = 12;

    private const string PartsName = "parts";
    private const string MarksName = "row marks";
    private const int PartBytes = 40;
    private const int MostParts = 1 << 20;
    private const int GuidBytes = 16;
    private const int Ways = 3;

    private enum Way
    {
        Put,
        Add,
        Reserve,
        Append,
    }

    internal override int MostJunkBytes => 2500;

    protected override FormatFeatures Feature => FormatFeatures.FixedTrees;

    internal override void Disturb(WriteTransaction write)
    {
        write.DropTree(PartsName);
        write.DropTree(MarksName);
        write.OpenMultiTree(PartsName).Add("junk"u8, "left"u8);
        write.OpenFixedTree<double>(MarksName, sizeof(long)).Put(-0.0, "leftover"u8);
        write.DropTree(PartsName);
        write.DropTree(MarksName);
        write.OpenFixedTree<Guid>(PartsName, PartBytes);
        write.OpenFixedTree<long>(MarksName, 0);
    }

    internal override void Visit(ReadTransaction read, List<(byte[] Key, byte[] Value)> rows)
    {
        if (!read.TryOpenFixedTree(PartsName, out ReadFixedTree<Guid> parts))
        {
            return;
        }

        HashSet<long> marks = [];
        long count = 0;
        List<byte> bytes = [];
        byte[] rowKey = [];
        foreach ((Guid key, ReadOnlySpan<byte> value) in parts)
        {
            (byte[] own, int part) = PartsOf(key);
            if (part == 0)
            {
                Complete(rowKey, bytes, rows, marks);
                rowKey = own;
            }

            Require(own.AsSpan().SequenceEqual(rowKey) && part == bytes.Count / PartBytes, $"Part {part} of a row");
            Require(parts.TryGet(key, out ReadOnlySpan<byte> found) && found.SequenceEqual(value), "A part that is shown");
            bytes.AddRange(value);
            count++;
        }

        Complete(rowKey, bytes, rows, marks);
        Require(count == parts.Count, $"One of {parts.Count} parts");
        RequireMarks(read.OpenFixedTree<long>(MarksName), marks);
    }

    protected override bool HasAny(ReadTransaction read) =>
        read.TryOpenFixedTree<Guid>(PartsName, out _) || read.TryOpenFixedTree<long>(MarksName, out _);

    protected override void Apply(WriteTransaction write, byte[] rowKey, byte[]? rowValue)
    {
        if (rowValue is null && !write.TryOpenFixedTree<Guid>(PartsName, out _))
        {
            return;
        }

        FixedTree<Guid> parts = write.OpenFixedTree<Guid>(PartsName, PartBytes);
        FixedTree<long> marks = write.OpenFixedTree<long>(MarksName, 0);
        int before = 0;
        if (ValueOf(parts, rowKey) is { } old)
        {
            before = CountOf(old);
            Require(marks.Delete(MarkOf(rowKey, old)), "The mark of a row");
        }

        int after = 0;
        if (rowValue is not null)
        {
            after = CountOf(rowValue);
            byte[] bytes = new byte[after * PartBytes];
            BinaryPrimitives.WriteInt32LittleEndian(bytes, rowValue.Length);
            rowValue.CopyTo(bytes, sizeof(int));
            bool isAbove = !parts.TryGetLast(out Guid last, out _) || KeyOf(rowKey, 0).CompareTo(last) > 0;
            int inColumns = isAbove ? after / 2 : 0;
            Guid[] keys = [.. Enumerable.Range(0, inColumns).Select(part => KeyOf(rowKey, part))];
            parts.Append(keys, bytes.AsSpan(0, inColumns * PartBytes));
            for (int part = inColumns; part < after; part++)
            {
                Put(parts, KeyOf(rowKey, part), bytes.AsSpan(part * PartBytes, PartBytes), isAbove ? Way.Append : (Way)(part % Ways));
            }

            Require(marks.Add(MarkOf(rowKey, rowValue), []), "A mark that belongs to no other row");
        }

        if (before == after + 1)
        {
            Require(parts.Delete(KeyOf(rowKey, after)), "The last part of a row");
        }
        else if (before > after)
        {
            Require(parts.DeleteRange(KeyOf(rowKey, after), KeyOf(rowKey, MostParts)) == before - after, "A part of a row");
        }
    }

    protected override void DeleteRange(WriteTransaction write, byte[] from, byte[] end)
    {
        if (!write.TryOpenFixedTree(PartsName, out FixedTree<Guid> parts))
        {
            return;
        }

        FixedTree<long> marks = write.OpenFixedTree<long>(MarksName, 0);
        Guid low = KeyOf(from, 0);
        Guid high = KeyOf(end, 0);
        List<byte[]> keys = [];
        foreach ((Guid key, _) in parts.Range(low, high))
        {
            (byte[] rowKey, int part) = PartsOf(key);
            if (part == 0)
            {
                keys.Add(rowKey);
            }
        }

        long count = 0;
        foreach (byte[] key in keys)
        {
            byte[] value = ValueOf(parts, key)!;
            count += CountOf(value);
            Require(IsIn(key, from, end) && marks.Delete(MarkOf(key, value)), "The mark of a row");
        }

        Require(parts.CountBetween(low, high) == count, "One of the parts that are counted");
        Require(parts.DeleteRange(low, high) == count, "One of the parts that are deleted");
    }

    private static void Put(FixedTree<Guid> parts, Guid key, ReadOnlySpan<byte> value, Way way)
    {
        switch (way)
        {
            case Way.Append:
                parts.Append(key, value);
                break;
            case Way.Reserve:
                value.CopyTo(parts.Reserve(key));
                break;
            case Way.Add when parts.Add(key, value):
                break;
            default:
                parts.Put(key, value);
                break;
        }
    }

    private static byte[]? ValueOf(FixedTree<Guid> parts, byte[] rowKey)
    {
        if (!parts.TryGet(KeyOf(rowKey, 0), out ReadOnlySpan<byte> first))
        {
            return null;
        }

        byte[] bytes = new byte[sizeof(int) + BinaryPrimitives.ReadInt32LittleEndian(first) + PartBytes];
        int at = 0;
        foreach (FixedBlock<Guid> block in parts.Blocks(KeyOf(rowKey, 0), KeyOf(rowKey, MostParts)))
        {
            block.ValueBytes.CopyTo(bytes.AsSpan(at));
            at += block.ValueBytes.Length;
        }

        return bytes[sizeof(int)..^PartBytes];
    }

    /// <summary>Takes the parts of a row together.</summary>
    private static void Complete(byte[] rowKey, List<byte> bytes, List<(byte[] Key, byte[] Value)> rows, HashSet<long> marks)
    {
        if (bytes.Count == 0)
        {
            return;
        }

        byte[] all = [.. bytes];
        int length = BinaryPrimitives.ReadInt32LittleEndian(all);
        Require(length >= 0 && length <= all.Length - sizeof(int), "The end of a row");
        byte[] value = all[sizeof(int)..(sizeof(int) + length)];
        Require(CountOf(value) * PartBytes == all.Length, "The last part of a row");
        rows.Add((rowKey, value));
        marks.Add(MarkOf(rowKey, value));
        bytes.Clear();
    }

    private static void RequireMarks(ReadFixedTree<long> tree, HashSet<long> marks)
    {
        long count = 0;
        foreach (FixedBlock<long> block in tree.Blocks())
        {
            foreach (long mark in block.Keys)
            {
                Require(marks.Contains(mark), "A mark");
                count++;
            }
        }

        Require(count == marks.Count && tree.Count == count, "The mark of a row");
    }

    private static int CountOf(byte[] rowValue) => (sizeof(int) + rowValue.Length + PartBytes - 1) / PartBytes;

    /// <summary>A key in the order of the rows' keys: their bytes, zeros, their length, and the number of the part.</summary>
    private static Guid KeyOf(byte[] rowKey, int part)
    {
        Span<byte> bytes = stackalloc byte[GuidBytes];
        bytes.Clear();
        rowKey.CopyTo(bytes);
        BinaryPrimitives.WriteUInt32BigEndian(bytes[MostKeyBytes..], ((uint)rowKey.Length << 24) | (uint)part);
        return new Guid(bytes, bigEndian: true);
    }

    private static (byte[] RowKey, int Part) PartsOf(Guid key)
    {
        byte[] bytes = key.ToByteArray(bigEndian: true);
        uint end = BinaryPrimitives.ReadUInt32BigEndian(bytes.AsSpan(MostKeyBytes));
        int length = (int)(end >> 24);
        Require(length <= MostKeyBytes, "The length of a row's key");
        return (bytes[..length], (int)(end & 0xFFFFFF));
    }

    private static long MarkOf(byte[] rowKey, byte[] rowValue) => (long)Hash128.Of(rowKey).Then(Hash128.Of(rowValue)).Low;
}
