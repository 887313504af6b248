using Microsoft.Data.Sqlite;
using Connection = Microsoft.Data.Sqlite.SqliteConnection;

namespace Voron.Bench.Tables;

/// <summary>A table of SQLite with columns, one connection and prepared commands.</summary>
internal sealed class SqliteTableStore : ITableStore
{
    private readonly Connection _connection;
    private readonly SqliteCommand _insert;
    private readonly SqliteCommand _find;
    private SqliteTransaction? _transaction;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="settings">Pragmas of the connection, between semicolons.</param>
    /// <param name="hasIndexes">False for a table that gets its index later.</param>
    internal SqliteTableStore(string folder, string settings, bool hasIndexes)
    {
        Directory.CreateDirectory(folder);
        string text = new SqliteConnectionStringBuilder { DataSource = Path.Combine(folder, "rows.db"), Pooling = false }.ToString();
        _connection = new Connection(text);
        _connection.Open();
        foreach (string setting in settings.Split(';', StringSplitOptions.RemoveEmptyEntries))
        {
            Run($"PRAGMA {setting}");
        }

        Run("CREATE TABLE rows (id INTEGER PRIMARY KEY, email TEXT, city TEXT, age INTEGER, score INTEGER, text BLOB)");
        if (hasIndexes)
        {
            BuildIndex();
            Run("CREATE INDEX city_age ON rows (city, age)");
            Run("CREATE INDEX score ON rows (score)");
        }

        _insert = Prepare("INSERT INTO rows VALUES ($id, $email, $city, $age, $score, $text)");
        foreach ((string name, SqliteType type) in ((string, SqliteType)[])
            [
                ("$id", SqliteType.Integer), ("$email", SqliteType.Text), ("$city", SqliteType.Text), ("$age", SqliteType.Integer),
                ("$score", SqliteType.Integer), ("$text", SqliteType.Blob),
            ])
        {
            _insert.Parameters.Add(name, type);
        }

        _find = Prepare("SELECT id, email, city, age, score, text FROM rows WHERE email = $email");
        _find.Parameters.Add("$email", SqliteType.Text);
    }

    public void Begin() => _insert.Transaction = _transaction = _connection.BeginTransaction(deferred: false);

    public void Insert(BenchRow row)
    {
        SqliteParameterCollection values = _insert.Parameters;
        values[0].Value = row.Id;
        values[1].Value = row.Email;
        values[2].Value = row.City;
        values[3].Value = row.Age;
        values[4].Value = row.Score;
        values[5].Value = row.Text;
        _insert.ExecuteNonQuery();
    }

    public void Commit()
    {
        _transaction!.Commit();
        _transaction.Dispose();
        _insert.Transaction = _transaction = null;
    }

    public long Find(string email)
    {
        _find.Parameters[0].Value = email;
        using SqliteDataReader found = _find.ExecuteReader();
        if (!found.Read())
        {
            return -1;
        }

        BenchRow row = new(
            found.GetInt64(0), found.GetString(1), found.GetString(2), found.GetInt32(3), found.GetInt64(4),
            found.GetFieldValue<byte[]>(5));
        return row.Id;
    }

    public long Count()
    {
        using SqliteCommand count = Prepare("SELECT COUNT(*) FROM rows");
        return (long)count.ExecuteScalar()!;
    }

    public void Load(RowData data, int rows)
    {
        Begin();
        for (int number = 0; number < rows; number++)
        {
            Insert(data.Row(number));
        }

        Commit();
    }

    public void BuildIndex() => Run("CREATE UNIQUE INDEX email ON rows (email)");

    public void Check()
    {
        using SqliteCommand check = Prepare("PRAGMA integrity_check");
        if (check.ExecuteScalar() is not "ok")
        {
            throw new VerificationException("SQLite's check found something.");
        }
    }

    public void Dispose()
    {
        _insert.Dispose();
        _find.Dispose();
        _connection.Dispose();
    }

    private void Run(string text)
    {
        using SqliteCommand command = Prepare(text);
        command.ExecuteNonQuery();
    }

    private SqliteCommand Prepare(string text)
    {
#pragma warning disable CA2100 // The text is one of those above.
        return new SqliteCommand(text, _connection);
#pragma warning restore CA2100
    }
}
