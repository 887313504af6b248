using System.Buffers;
using System.Buffers.Binary;
using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.CrashWriter;

/// <summary>The table whose indexes are built while the process is killed. A row says which transaction wrote it.</summary>
public static class KilledTable
{
    /// <summary>Rows that are there before the first build.</summary>
    public const int Rows = 3_000;

    /// <summary>Rows that each transaction of the writer changes.</summary>
    public const int ChangesOfTransaction = 3;

    private static readonly Index<Row, long> ByNumber = Index.Unique("number", KeyCodec.Int64, static (Row row) => row.Number);

    private static readonly Index<Row, int> ByGroup = Index.Of("group", KeyCodec.Int32, static (Row row) => row.Group);

    /// <summary>The table without indexes, as it is filled.</summary>
    public static readonly TableDefinition<int, Row> Plain = Define();

    /// <summary>The table with its indexes.</summary>
    public static readonly TableDefinition<int, Row> Indexed = Define(ByNumber, ByGroup);

    /// <summary>Fills a new table, and nothing else.</summary>
    public static void Fill(StorageEnvironment environment)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Table<int, Row> rows = transaction.OpenTable(Plain);
        if (rows.Count == 0)
        {
            for (int id = 0; id < Rows; id++)
            {
                rows.Insert(RowOf(id, 0));
            }
        }

        transaction.Commit();
    }

    /// <summary>Makes the changes of a transaction.</summary>
    public static void Change(Table<int, Row> rows, ulong seed, long transaction)
    {
        foreach (int id in ChangedBy(seed, transaction))
        {
            rows.Put(RowOf(id, transaction));
        }
    }

    /// <summary>Returns the rows that a transaction changes.</summary>
    public static int[] ChangedBy(ulong seed, long transaction)
    {
        Random random = new(unchecked((int)((seed * 1_000_003) + (ulong)transaction)));
        return [.. Enumerable.Range(0, ChangesOfTransaction).Select(_ => random.Next(Rows))];
    }

    /// <summary>Returns a row as a transaction writes it. No two rows ever have one number.</summary>
    public static Row RowOf(int id, long transaction) =>
        new(id, transaction, (((transaction * 7) + id) % 1_000 * Rows) + id, (int)((transaction + id) % 50));

    /// <summary>Returns how many entries the indexes have, which are all built.</summary>
    public static long EntriesOfIndexes(ReadTransaction read)
    {
        ReadTable<int, Row> table = read.OpenTable(Indexed);
        return table.By(ByNumber).Count + table.By(ByGroup).Count;
    }

    private static TableDefinition<int, Row> Define(params ReadOnlySpan<RowIndex<Row>> indexes)
    {
        TableDefinition<int, Row> table = new("rows", KeyCodec.Int32, new Codec(), static row => row.Id);
        foreach (RowIndex<Row> index in indexes)
        {
            table.Indexes.Add(index);
        }

        return table;
    }

    /// <summary>A row.</summary>
    /// <param name="Id">The primary key.</param>
    /// <param name="Transaction">The transaction that wrote it; 0 for the first content.</param>
    /// <param name="Number">In a unique index.</param>
    /// <param name="Group">In an index that many rows share.</param>
    public sealed record Row(int Id, long Transaction, long Number, int Group);

    private sealed class Codec : IValueCodec<Row>
    {
        private const int Bytes = 2 * (sizeof(int) + sizeof(long));

        public void Encode(Row value, IBufferWriter<byte> destination)
        {
            Span<byte> room = destination.GetSpan(Bytes);
            BinaryPrimitives.WriteInt32LittleEndian(room, value.Id);
            BinaryPrimitives.WriteInt32LittleEndian(room[4..], value.Group);
            BinaryPrimitives.WriteInt64LittleEndian(room[8..], value.Transaction);
            BinaryPrimitives.WriteInt64LittleEndian(room[16..], value.Number);
            destination.Advance(Bytes);
        }

        public Row Decode(ReadOnlySpan<byte> source) => new(
            BinaryPrimitives.ReadInt32LittleEndian(source),
            BinaryPrimitives.ReadInt64LittleEndian(source[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(source[16..]),
            BinaryPrimitives.ReadInt32LittleEndian(source[4..]));
    }
}
