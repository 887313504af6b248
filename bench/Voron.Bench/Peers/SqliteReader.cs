namespace Voron.Bench.Peers;

/// <summary>A read transaction of SQLite.</summary>
internal struct SqliteReader : IStoreReader
{
    private readonly SqliteConnection _connection;
    private nint _open;

    internal SqliteReader(SqliteConnection connection)
    {
        _connection = connection;
        _connection.BeginRead();
    }

    public readonly ReadOnlySpan<byte> Key => Column(0);

    public readonly ReadOnlySpan<byte> Value => Column(1);

    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        Switch(_connection.GetStatement);
        _connection.Bind(_open, 1, key);
        bool found = _connection.Step(_open);
        value = found ? Column(0) : default;
        return found;
    }

    public bool MoveFirst()
    {
        Switch(_connection.ScanStatement);
        return MoveNext();
    }

    public readonly bool MoveNext() => _connection.Step(_open);

    public bool Seek(ReadOnlySpan<byte> key)
    {
        Switch(_connection.SeekStatement);
        _connection.Bind(_open, 1, key);
        return MoveNext();
    }

    public void Dispose()
    {
        Switch(0);
        _connection.Commit();
    }

    private readonly ReadOnlySpan<byte> Column(int column)
    {
        nint bytes = SqliteCalls.Column(_open, column);
        return Pinned.Span(bytes, SqliteCalls.ColumnBytes(_open, column));
    }

    private void Switch(nint statement)
    {
        if (_open != 0)
        {
            _ = SqliteCalls.Reset(_open);
        }

        _open = statement;
    }
}
