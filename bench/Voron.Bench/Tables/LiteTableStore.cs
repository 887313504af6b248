using LiteDB;
using Microsoft.Win32.SafeHandles;

namespace Voron.Bench.Tables;

/// <summary>A collection of LiteDB, whose log is synced from here when a commit has returned: it has no setting for that.</summary>
internal sealed class LiteTableStore : ITableStore
{
    private readonly LiteDatabase _database;
    private readonly ILiteCollection<BsonDocument> _rows;
    private readonly SafeFileHandle _log;

    internal LiteTableStore(string folder, bool hasIndexes)
    {
        Directory.CreateDirectory(folder);
        _database = new LiteDatabase(new ConnectionString { Filename = Path.Combine(folder, "rows.db") });
        _rows = _database.GetCollection("rows");
        if (hasIndexes)
        {
            BuildIndex();
            _rows.EnsureIndex("cityAge", BsonExpression.Create("[$.city, $.age]"));
            _rows.EnsureIndex("score", BsonExpression.Create("$.score"));
        }

        _log = File.OpenHandle(
            Path.Combine(folder, "rows-log.db"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
    }

    public void Begin() => _database.BeginTrans();

    public void Insert(BenchRow row) => _rows.Insert(new BsonDocument
    {
        ["_id"] = row.Id, ["email"] = row.Email, ["city"] = row.City, ["age"] = row.Age, ["score"] = row.Score, ["text"] = row.Text,
    });

    public void Commit()
    {
        _database.Commit();
        RandomAccess.FlushToDisk(_log);
    }

    public long Find(string email)
    {
        BsonDocument? found = _rows.FindOne(Query.EQ("email", email));
        if (found is null)
        {
            return -1;
        }

        BenchRow row = new(
            found["_id"].AsInt64, found["email"].AsString, found["city"].AsString, found["age"].AsInt32, found["score"].AsInt64,
            found["text"].AsBinary);
        return row.Id;
    }

    public long Count() => _rows.LongCount();

    public void Load(RowData data, int rows)
    {
        const int RowsOfLoad = 10_000;
        for (int number = 0; number < rows; number++)
        {
            if (number % RowsOfLoad == 0)
            {
                Begin();
            }

            Insert(data.Row(number));
            if (number % RowsOfLoad == RowsOfLoad - 1 || number == rows - 1)
            {
                Commit();
            }
        }
    }

    public void BuildIndex() => _rows.EnsureIndex("email", BsonExpression.Create("$.email"), unique: true);

    /// <summary>It has no check.</summary>
    public void Check()
    {
    }

    public void Dispose()
    {
        _log.Dispose();
        _database.Dispose();
    }
}
