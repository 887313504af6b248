using System.Buffers.Binary;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Engine;

/// <summary>
/// Rows of even keys in multi-value trees. In the first tree a row is a pair of one of few keys, each of which has the rows of some first
/// digits; the value is the row's key behind its length, and then the row's value. So to put a row is to delete a pair and to add one. The
/// second tree has a number of eight bytes for each row.
/// </summary>
internal sealed class MultiRows : RowTrees
{
    private const string PairsName = "pairs";
    private const string MarksName = "marks";
    private const byte FirstDigit = (byte)'0';
    private const int DigitsOfKey = 4;

    protected override FormatFeatures Feature => FormatFeatures.MultiTrees;

    internal override int MostJunkBytes => 250;

    internal override void Disturb(WriteTransaction write)
    {
        write.DropTree(PairsName);
        write.DropTree(MarksName);
        write.OpenTree(PairsName).Put("junk"u8, "left"u8);
        write.OpenMultiTree(MarksName).Add("junk"u8, "left"u8);
        write.DropTree(PairsName);
        write.DropTree(MarksName);
        write.OpenMultiTree(PairsName);
        write.OpenMultiTree(MarksName, sizeof(ulong));
    }

    internal override void Visit(ReadTransaction read, List<(byte[] Key, byte[] Value)> rows)
    {
        if (!read.TryOpenMultiTree(PairsName, out ReadMultiTree pairs))
        {
            return;
        }

        HashSet<(byte Key, ulong Mark)> marks = [];
        long count = 0;
        foreach ((_, ReadOnlySpan<byte> value) in pairs)
        {
            (byte[] Key, byte[] Value) row = RowOf(value);
            rows.Add(row);
            marks.Add(MarkOf(row.Key, row.Value));
            count++;
            if (!pairs.Contains([KeyOf(row.Key)], value))
            {
                throw new InvalidDataException($"The pair of the row {Convert.ToHexString(row.Key)} is shown, and not found by its key.");
            }
        }

        if (count != pairs.Count)
        {
            throw new InvalidDataException($"The tree of pairs says that it has {pairs.Count} pairs and shows {count}.");
        }

        if (!marks.SetEquals(MarksIn(read.OpenMultiTree(MarksName))))
        {
            throw new InvalidDataException("The marks are not those of the pairs.");
        }
    }

    protected override bool HasAny(ReadTransaction read) =>
        read.TryOpenMultiTree(PairsName, out _) || read.TryOpenMultiTree(MarksName, out _);

    protected override void Apply(WriteTransaction write, byte[] rowKey, byte[]? rowValue)
    {
        if (rowValue is null && !write.TryOpenMultiTree(PairsName, out _))
        {
            return;
        }

        MultiTree pairs = write.OpenMultiTree(PairsName);
        MultiTree marks = write.OpenMultiTree(MarksName, sizeof(ulong));
        byte[] key = [KeyOf(rowKey)];
        byte[] start = StartOf(rowKey);
        using (MultiCursor cursor = pairs.OpenCursor())
        {
            if (cursor.Seek(key, start) && cursor.Value.StartsWith(start))
            {
                Delete(marks, rowKey, cursor.Value[start.Length..].ToArray());

                // Its own bytes in the tree, which the deletion moves.
                Require(pairs.Delete(cursor.Key, cursor.Value), "A pair that the cursor shows");
            }
        }

        if (rowValue is not null)
        {
            Require(pairs.Add(key, [.. start, .. rowValue]), "A pair that no cursor shows");
            (byte markKey, ulong mark) = MarkOf(rowKey, rowValue);
            Require(marks.Add([markKey], Bytes(mark)), "A mark that belongs to no other row");
        }
    }

    protected override void DeleteRange(WriteTransaction write, byte[] from, byte[] end)
    {
        if (!write.TryOpenMultiTree(PairsName, out MultiTree pairs))
        {
            return;
        }

        MultiTree marks = write.OpenMultiTree(MarksName, sizeof(ulong));
        List<(byte[] Key, byte[] Value)> rows = [];
        foreach ((_, ReadOnlySpan<byte> value) in pairs.Range([KeyOf(from)], [(byte)(KeyOf(end) + 1)]))
        {
            rows.Add(RowOf(value));
        }

        int whole = 0;
        foreach ((byte[] key, byte[] value) in rows.Where(row => IsIn(row.Key, from, end)))
        {
            Delete(marks, key, value);
            if (KeyOf(key) > KeyOf(from) && KeyOf(key) < KeyOf(end))
            {
                whole++;
            }
            else
            {
                Require(pairs.Delete([KeyOf(key)], [.. StartOf(key), .. value]), "A pair that was shown");
            }
        }

        long deleted = 0;
        if (from.Length % 2 == 0)
        {
            deleted = pairs.DeleteRange([(byte)(KeyOf(from) + 1)], [KeyOf(end)]);
        }
        else
        {
            for (int key = KeyOf(from) + 1; key < KeyOf(end); key++)
            {
                deleted += pairs.DeleteAll([(byte)key]);
            }
        }

        Require(deleted == whole, $"{whole} pairs, of which {deleted} were deleted,");
    }

    private static HashSet<(byte Key, ulong Mark)> MarksIn(ReadMultiTree tree)
    {
        HashSet<(byte Key, ulong Mark)> marks = [];
        foreach (ReadOnlySpan<byte> key in tree.Keys)
        {
            foreach (ValueBlock block in tree.Blocks(key))
            {
                marks.Add((key[0], BinaryPrimitives.ReadUInt64BigEndian(block.First)));
                for (int at = 0; at < block.Rest.Length; at += sizeof(ulong))
                {
                    marks.Add((key[0], BinaryPrimitives.ReadUInt64BigEndian(block.Rest[at..])));
                }
            }
        }

        return marks;
    }

    private static void Delete(MultiTree marks, byte[] rowKey, byte[] rowValue)
    {
        (byte key, ulong mark) = MarkOf(rowKey, rowValue);
        Require(marks.Delete([key], Bytes(mark)), "The mark of a row");
    }

    private static byte KeyOf(byte[] rowKey) => (byte)((rowKey[0] - FirstDigit) / DigitsOfKey);

    private static byte[] StartOf(byte[] rowKey) => [(byte)rowKey.Length, .. rowKey];

    private static (byte[] Key, byte[] Value) RowOf(ReadOnlySpan<byte> value) =>
        (value.Slice(1, value[0]).ToArray(), value[(1 + value[0])..].ToArray());

    private static (byte Key, ulong Mark) MarkOf(byte[] rowKey, byte[] rowValue) =>
        ((byte)(rowKey[0] & 1), Hash128.Of(rowKey).Then(Hash128.Of(rowValue)).Low);

    private static byte[] Bytes(ulong mark)
    {
        byte[] bytes = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, mark);
        return bytes;
    }
}
