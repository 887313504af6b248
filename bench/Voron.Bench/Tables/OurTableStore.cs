using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.Bench.Tables;

/// <summary>A typed table.</summary>
internal sealed class OurTableStore : ITableStore
{
    private const int RowsOfLoad = 10_000;

    private static readonly Index<BenchRow, string> ByEmail = Index.Unique(
        "email", KeyCodec.String, static (BenchRow row) => row.Email);

    /// <summary>The table without an index, and with all of them.</summary>
    private static readonly TableDefinition<long, BenchRow> Plain = Define();

    private static readonly TableDefinition<long, BenchRow> Indexed = Define(
        ByEmail,
        Index.Of("city-age", KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), static (BenchRow row) => (row.City, row.Age)),
        Index.Of("score", KeyCodec.Int64, static (BenchRow row) => row.Score));

    private static readonly TableDefinition<long, BenchRow> WithEmail = Define(ByEmail);

    private WriteTransaction _write;
    private Table<long, BenchRow>? _table;

    internal OurTableStore(string folder) => Environment = StorageEnvironment.Open(folder);

    internal StorageEnvironment Environment { get; }

    public void Begin()
    {
        _write = Environment.BeginWrite();
        _table = _write.OpenTable(Indexed);
    }

    public void Insert(BenchRow row) => _table!.Insert(row);

    public void Commit()
    {
        _write.Commit();
        _write.Dispose();
    }

    public long Find(string email)
    {
        using ReadTransaction read = Environment.BeginRead();
        return read.OpenTable(Indexed).By(ByEmail).TryGet(email, out BenchRow? row) ? row.Id : -1;
    }

    public long Count()
    {
        using ReadTransaction read = Environment.BeginRead();
        return read.OpenTable(Plain).Count;
    }

    public void Load(RowData data, int rows)
    {
        for (int first = 0; first < rows; first += RowsOfLoad)
        {
            using WriteTransaction write = Environment.BeginWrite();
            Table<long, BenchRow> table = write.OpenTable(Plain);
            for (int number = first; number < Math.Min(rows, first + RowsOfLoad); number++)
            {
                table.Insert(data.Row(number));
            }

            write.Commit(CommitMode.Lazy);
        }

        Environment.Flush();
    }

    public void BuildIndex() => Environment.BuildIndexesAsync(WithEmail).GetAwaiter().GetResult();

    /// <summary>Commits a row again, in a durable transaction that maintains the index as far as it is.</summary>
    internal void Put(BenchRow row)
    {
        using WriteTransaction write = Environment.BeginWrite();
        write.OpenTable(WithEmail).Put(row);
        write.Commit();
    }

    public void Check()
    {
        using (ReadTransaction read = Environment.BeginRead())
        {
            // The definition that has just those indexes which the table has.
            bool hasAll = read.TryOpenMultiTree($"{Indexed.Name}/score", out _);
            IReadOnlyList<TableFinding> findings = read.OpenTable(hasAll ? Indexed : WithEmail).Check();
            if (findings.Count > 0)
            {
                throw new VerificationException($"Rows and indexes differ: {findings[0].Message}");
            }
        }

        if (Environment.Check() is { IsClean: false } report)
        {
            throw new VerificationException($"The whole check found {report.Findings.Count} faults.");
        }
    }

    public void Dispose() => Environment.Dispose();

    private static TableDefinition<long, BenchRow> Define(params ReadOnlySpan<RowIndex<BenchRow>> indexes)
    {
        TableDefinition<long, BenchRow> table = new("rows", KeyCodec.Int64, new RowCodec(), static row => row.Id);
        foreach (RowIndex<BenchRow> index in indexes)
        {
            table.Indexes.Add(index);
        }

        return table;
    }
}
