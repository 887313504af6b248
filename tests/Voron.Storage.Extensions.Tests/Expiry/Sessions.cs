using System.Buffers;
using System.Globalization;
using System.Text;
using Voron.Storage.Typed;

namespace Voron.Storage.Extensions.Tests.Expiry;

internal sealed record Session(int Id, DateTimeOffset? Until);

/// <summary>A table of sessions of its own for each test, which is told of each row that is read.</summary>
internal sealed class Sessions : IValueCodec<Session>
{
    internal Sessions(string name = "sessions")
    {
        ByExpiry = Index.Expiry(static (Session session) => session.Until);
        Table = new(name, KeyCodec.Int32, this, static session => session.Id) { Indexes = { ByExpiry } };
        Plain = new(name, KeyCodec.Int32, this, static session => session.Id);
    }

    internal Index<Session, DateTimeOffset> ByExpiry { get; }

    internal TableDefinition<int, Session> Table { get; }

    /// <summary>The same without an index.</summary>
    internal TableDefinition<int, Session> Plain { get; }

    internal Action? OnDecode { get; set; }

    public void Encode(Session value, IBufferWriter<byte> destination) =>
        Encoding.UTF8.GetBytes($"{value.Id} {value.Until?.UtcTicks}", destination);

    public Session Decode(ReadOnlySpan<byte> source)
    {
        OnDecode?.Invoke();
        string[] parts = Encoding.UTF8.GetString(source).Split(' ');
        return new Session(
            int.Parse(parts[0], CultureInfo.InvariantCulture),
            parts[1].Length == 0 ? null : new DateTimeOffset(long.Parse(parts[1], CultureInfo.InvariantCulture), TimeSpan.Zero));
    }

    /// <summary>Rows from a number on, each of which ends at the same time.</summary>
    internal void Add(StorageEnvironment storage, int first, int count, DateTimeOffset? until, TableDefinition<int, Session>? table = null)
    {
        using WriteTransaction write = storage.BeginWrite();
        Table<int, Session> sessions = write.OpenTable(table ?? Table);
        for (int id = first; id < first + count; id++)
        {
            sessions.Insert(new Session(id, until));
        }

        write.Commit();
    }

    internal List<int> Ids(StorageEnvironment storage)
    {
        using ReadTransaction read = storage.BeginRead();
        List<int> ids = [];
        foreach (Session session in read.OpenTable(Table))
        {
            ids.Add(session.Id);
        }

        return ids;
    }

    internal IReadOnlyList<TableFinding> Check(StorageEnvironment storage)
    {
        using ReadTransaction read = storage.BeginRead();
        return read.OpenTable(Table).Check();
    }
}
