using Microsoft.Data.Sqlite;
using Connection = Microsoft.Data.Sqlite.SqliteConnection;

namespace Voron.Bench.Peers.NuGet;

/// <summary>SQLite through Microsoft.Data.Sqlite: a table that is its own index, a connection for each thread, prepared commands.</summary>
internal sealed class SqlitePackage : PeerStore<SqlitePackage.Reader>
{
    private readonly ThreadLocal<Session> _sessions;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="settings">Pragmas of each connection, between semicolons; none for those of a user who sets nothing.</param>
    internal SqlitePackage(string folder, string settings)
    {
        Directory.CreateDirectory(folder);
        string text = new SqliteConnectionStringBuilder { DataSource = Path.Combine(folder, "entries.db"), Pooling = false }.ToString();
        _sessions = new ThreadLocal<Session>(() => new Session(text, settings), trackAllValues: true);
        _ = _sessions.Value;
    }

    public override IStoreWriter OpenWriter() => _sessions.Value!;

    public override void Dispose()
    {
        foreach (Session session in _sessions.Values)
        {
            session.Close();
        }

        _sessions.Dispose();
    }

    protected override Reader OpenReader() => new(_sessions.Value!);

    internal struct Reader(Session session) : IStoreReader
    {
        private readonly SqliteTransaction _transaction = session.BeginRead();
        private SqliteDataReader? _rows;
        private byte[]? _key;
        private byte[]? _value;

        public readonly ReadOnlySpan<byte> Key => _key;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            Open(session.Get, key);
            bool found = _rows!.Read();
            value = found ? _rows.GetFieldValue<byte[]>(0) : default;
            return found;
        }

        public bool MoveFirst()
        {
            Open(session.Scan, default);
            return MoveNext();
        }

        public bool MoveNext()
        {
            bool found = _rows!.Read();
            _key = found ? _rows.GetFieldValue<byte[]>(0) : null;
            _value = found ? _rows.GetFieldValue<byte[]>(1) : null;
            return found;
        }

        public bool Seek(ReadOnlySpan<byte> key)
        {
            Open(session.Seek, key);
            return MoveNext();
        }

        public readonly void Dispose()
        {
            _rows?.Dispose();
            _transaction.Commit();
            _transaction.Dispose();
        }

        private void Open(SqliteCommand command, ReadOnlySpan<byte> key)
        {
            _rows?.Dispose();
            command.Transaction = _transaction;
            if (command.Parameters.Count > 0)
            {
                command.Parameters[0].Value = key.ToArray();
            }

            _rows = command.ExecuteReader();
        }
    }

    /// <summary>One thread's connection with its commands; it is the thread's writer too.</summary>
    internal sealed class Session : IStoreWriter
    {
        private readonly Connection _connection;
        private readonly SqliteCommand _put;
        private readonly SqliteCommand _delete;
        private SqliteTransaction? _transaction;

        internal Session(string text, string settings)
        {
            _connection = new Connection(text);
            _connection.Open();
            foreach (string setting in settings.Split(';', StringSplitOptions.RemoveEmptyEntries))
            {
                Run($"PRAGMA {setting}");
            }

            Run("CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID");
            _put = Prepare("INSERT OR REPLACE INTO entries VALUES ($key, $value)", "$key", "$value");
            _delete = Prepare("DELETE FROM entries WHERE key = $key", "$key");
            Get = Prepare("SELECT value FROM entries WHERE key = $key", "$key");
            Scan = Prepare("SELECT key, value FROM entries ORDER BY key");
            Seek = Prepare("SELECT key, value FROM entries WHERE key >= $key ORDER BY key", "$key");
        }

        internal SqliteCommand Get { get; }

        internal SqliteCommand Scan { get; }

        internal SqliteCommand Seek { get; }

        public void Begin() => _put.Transaction = _delete.Transaction = _transaction = _connection.BeginTransaction(deferred: false);

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        {
            _put.Parameters[0].Value = key.ToArray();
            _put.Parameters[1].Value = value.ToArray();
            _put.ExecuteNonQuery();
        }

        public void Delete(ReadOnlySpan<byte> key)
        {
            _delete.Parameters[0].Value = key.ToArray();
            _delete.ExecuteNonQuery();
        }

        public void Commit()
        {
            _transaction!.Commit();
            _transaction.Dispose();
        }

        public void Finish()
        {
        }

        /// <summary>The store closes its connections.</summary>
        public void Dispose()
        {
        }

        internal SqliteTransaction BeginRead() => _connection.BeginTransaction(deferred: true);

        internal void Close() => _connection.Dispose();

        private void Run(string text)
        {
            using SqliteCommand command = Prepare(text);
            command.ExecuteNonQuery();
        }

        private SqliteCommand Prepare(string text, params ReadOnlySpan<string> parameters)
        {
#pragma warning disable CA2100 // The text is one of those above.
            SqliteCommand command = new(text, _connection);
#pragma warning restore CA2100
            foreach (string parameter in parameters)
            {
                command.Parameters.Add(parameter, SqliteType.Blob);
            }

            return command;
        }
    }
}
