using System.Buffers;
using System.Buffers.Binary;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.Simulation.Engine;

/// <summary>A row of the table lane: a primary key, what its keys in three indexes are made from, and more bytes.</summary>
/// <param name="Id">The primary key.</param>
/// <param name="Number">The key in the unique index; a negative one is in no index.</param>
/// <param name="Group">The key in the second index, and the first of the tags.</param>
/// <param name="Tags">Number of keys in the third index.</param>
/// <param name="Bytes">Number of further bytes.</param>
internal sealed record TableRow(int Id, int Number, int Group, int Tags, int Bytes)
{
    internal const string TableName = "rows";

    private const int IntegersOfRow = 5;

    private static readonly Index<TableRow, int> ByNumber = Index.Unique(
        "number", KeyCodec.Int32, static (TableRow row, out int key) => (key = row.Number) >= 0);

    private static readonly Index<TableRow, (string Name, int Bytes)> ByGroup = Index.Of(
        "group", KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), static (TableRow row) => (NameOf(row.Group), row.Bytes));

    private static readonly Index<TableRow, string> ByTag = Index.Many(
        "tag", KeyCodec.String, static (TableRow row) => Enumerable.Range(row.Group, row.Tags).Select(NameOf));

    /// <summary>A version of the program that knows no index.</summary>
    internal static TableDefinition<int, TableRow> Plain { get; } = new(TableName, KeyCodec.Int32, new Codec(), static row => row.Id);

    internal static TableDefinition<int, TableRow> Indexed { get; } = new(TableName, KeyCodec.Int32, new Codec(), static row => row.Id)
    {
        Indexes = { ByNumber, ByGroup, ByTag },
    };

    /// <summary>Number of entries that all indexes have together, built or not.</summary>
    internal static long EntriesOfIndexes(ReadTransaction read)
    {
        long entries = read.TryOpenTree($"{TableName}/number", out ReadTree unique) ? unique.Count : 0;
        foreach (string index in (string[])["group", "tag"])
        {
            entries += read.TryOpenMultiTree($"{TableName}/{index}", out ReadMultiTree tree) ? tree.Count : 0;
        }

        return entries;
    }

    /// <summary>Every index has the keys of these rows, in its order, and nothing else.</summary>
    internal static void RequireIndexes(ReadTable<int, TableRow> table, IReadOnlyCollection<TableRow> rows)
    {
        List<int> found = [];
        foreach (int id in table.By(ByNumber).Keys)
        {
            found.Add(id);
        }

        Require("number", found, rows.Where(static row => row.Number >= 0).OrderBy(static row => row.Number));
        found.Clear();
        foreach (int id in table.By(ByGroup).Keys)
        {
            found.Add(id);
        }

        Require("group", found, rows.OrderBy(static row => row.Group).ThenBy(static row => row.Bytes).ThenBy(static row => row.Id));
        found.Clear();
        foreach (int id in table.By(ByTag).Keys)
        {
            found.Add(id);
        }

        Require("tag", found, rows.SelectMany(static row => Enumerable.Range(row.Group, row.Tags).Select(tag => (tag, row)))
            .OrderBy(static pair => pair.tag).ThenBy(static pair => pair.row.Id).Select(static pair => pair.row));
    }

    private static void Require(string index, List<int> found, IEnumerable<TableRow> expected) => NumberedRows.Require(
        found.SequenceEqual(expected.Select(static row => row.Id)), $"the index '{index}' has the rows {string.Join(", ", found)}");

    /// <summary>In the order of the numbers, with names that begin with each other.</summary>
    private static string NameOf(int group) => new((char)('a' + (group / 3)), 1 + (group % 3));

    private sealed class Codec : IValueCodec<TableRow>
    {
        public void Encode(TableRow value, IBufferWriter<byte> destination)
        {
            int length = (IntegersOfRow * sizeof(int)) + value.Bytes;
            Span<byte> room = destination.GetSpan(length)[..length];
            ReadOnlySpan<int> integers = [value.Id, value.Number, value.Group, value.Tags, value.Bytes];
            foreach (int integer in integers)
            {
                BinaryPrimitives.WriteInt32LittleEndian(room, integer);
                room = room[sizeof(int)..];
            }

            new Random(value.Id).NextBytes(room);
            destination.Advance(length);
        }

        public TableRow Decode(ReadOnlySpan<byte> source)
        {
            int[] integers = new int[IntegersOfRow];
            foreach (ref int integer in integers.AsSpan())
            {
                integer = BinaryPrimitives.ReadInt32LittleEndian(source);
                source = source[sizeof(int)..];
            }

            TableRow row = new(integers[0], integers[1], integers[2], integers[3], integers[4]);
            byte[] expected = new byte[row.Bytes];
            new Random(row.Id).NextBytes(expected);
            return source.SequenceEqual(expected) ? row : throw new FormatException($"The bytes of the row {row.Id} are others.");
        }
    }
}
