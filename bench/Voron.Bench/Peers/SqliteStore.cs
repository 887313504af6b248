namespace Voron.Bench.Peers;

/// <summary>A database of SQLite with one table that is its own index. How durable a commit is, its settings say.</summary>
internal sealed class SqliteStore : PeerStore<SqliteReader>
{
    private readonly ThreadLocal<SqliteConnection> _connections;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="settings">Pragmas of each connection, between semicolons.</param>
    internal SqliteStore(string folder, string settings)
    {
        Directory.CreateDirectory(folder);
        string file = Path.Combine(folder, "entries.db");
        _connections = new ThreadLocal<SqliteConnection>(() => new SqliteConnection(file, settings), trackAllValues: true);
        _ = _connections.Value;
    }

    public override IStoreWriter OpenWriter() => _connections.Value!;

    public override void Dispose()
    {
        foreach (SqliteConnection connection in _connections.Values)
        {
            connection.Close();
        }

        _connections.Dispose();
    }

    protected override SqliteReader OpenReader() => new(_connections.Value!);
}
