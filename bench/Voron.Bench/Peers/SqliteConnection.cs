using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>One thread's connection to a database of SQLite, with its prepared statements; it is the thread's writer too.</summary>
internal sealed class SqliteConnection : IStoreWriter
{
    internal const string Name = "sqlite";

    private const int BusyMilliseconds = 60_000;

    private readonly nint _connection;
    private readonly nint _begin;
    private readonly nint _beginWrite;
    private readonly nint _commit;
    private readonly nint _put;
    private readonly nint _delete;

    internal SqliteConnection(string file, string settings)
    {
        Demand("open a database", SqliteCalls.Open(file, out _connection));
        Demand("wait for others", SqliteCalls.SetBusyTimeout(_connection, BusyMilliseconds));
        foreach (string setting in settings.Split(';', StringSplitOptions.RemoveEmptyEntries))
        {
            RunOnce($"PRAGMA {setting}");
        }

        RunOnce("CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID");
        _begin = Prepare("BEGIN");
        _beginWrite = Prepare("BEGIN IMMEDIATE");
        _commit = Prepare("COMMIT");
        _put = Prepare("INSERT OR REPLACE INTO entries VALUES (?, ?)");
        _delete = Prepare("DELETE FROM entries WHERE key = ?");
        GetStatement = Prepare("SELECT value FROM entries WHERE key = ?");
        ScanStatement = Prepare("SELECT key, value FROM entries ORDER BY key");
        SeekStatement = Prepare("SELECT key, value FROM entries WHERE key >= ? ORDER BY key");
    }

    internal nint GetStatement { get; }

    internal nint ScanStatement { get; }

    internal nint SeekStatement { get; }

    public void Begin() => Run(_beginWrite);

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Bind(_put, 1, key);
        Bind(_put, 2, value);
        Run(_put);
    }

    public void Delete(ReadOnlySpan<byte> key)
    {
        Bind(_delete, 1, key);
        Run(_delete);
    }

    public void Commit() => Run(_commit);

    public void Finish()
    {
    }

    /// <summary>The store closes its connections.</summary>
    public void Dispose()
    {
    }

    internal void BeginRead() => Run(_begin);

    internal void Bind(nint statement, int parameter, ReadOnlySpan<byte> bytes) =>
        Demand("bind a value", SqliteCalls.Bind(statement, parameter, Pinned.Address(bytes), bytes.Length, SqliteCalls.Stays));

    /// <summary>Goes to the next row; false at the end.</summary>
    internal bool Step(nint statement)
    {
        int state = SqliteCalls.Step(statement);
        if (state is not (SqliteCalls.Row or SqliteCalls.Done))
        {
            throw Failure("run a statement");
        }

        return state == SqliteCalls.Row;
    }

    internal void Close()
    {
        foreach (nint statement in (ReadOnlySpan<nint>)
            [_begin, _beginWrite, _commit, _put, _delete, GetStatement, ScanStatement, SeekStatement])
        {
            _ = SqliteCalls.Destroy(statement);
        }

        Demand("close", SqliteCalls.Close(_connection));
    }

    private void RunOnce(string text)
    {
        nint statement = Prepare(text);
        Run(statement);
        _ = SqliteCalls.Destroy(statement);
    }

    private void Run(nint statement)
    {
        while (Step(statement))
        {
        }

        Demand("end a statement", SqliteCalls.Reset(statement));
    }

    private nint Prepare(string text)
    {
        Demand($"prepare '{text}'", SqliteCalls.Prepare(_connection, text, -1, out nint statement, 0));
        return statement;
    }

    private void Demand(string what, int error)
    {
        if (error != 0)
        {
            throw Failure(what);
        }
    }

    private PeerException Failure(string what) => new(Name, what, Marshal.PtrToStringUTF8(SqliteCalls.LastError(_connection))!);
}
