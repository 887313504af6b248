using System.Text;
using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Tests.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Tests.Commits;

/// <summary>A journal directory on a test disk, with a commit journal that can be opened, used, read and opened again.</summary>
internal sealed class JournalWorld : IDisposable
{
    internal const string Folder = "/db/journal";

    internal static readonly DatabaseId Database = new(0x1122, 0x3344);

    /// <summary>The last one is in use; those before it were left as a killed process leaves them.</summary>
    private readonly List<CommitJournal> _journals = [];

    internal JournalWorld(TestDisk? disk = null)
    {
        Disk = disk ?? new TestDisk();
        Files = new JournalFiles(Disk, Folder, Database);
    }

    /// <summary>An open journal in which these were committed.</summary>
    internal static JournalWorld With(params ReadOnlySpan<string> bodies)
    {
        JournalWorld world = new();
        world.Open();
        foreach (string body in bodies)
        {
            world.Commit(body);
        }

        return world;
    }

    internal TestDisk Disk { get; }

    internal JournalFiles Files { get; }

    internal RecordingListener Listener { get; private set; } = new();

    internal FailStop FailStop { get; private set; } = new();

    internal CommitJournal Journal => _journals[^1];

    internal long NextId { get; set; } = 1;

    internal IReadOnlyList<long> Sequences => [.. Names(".commit").Select(path => long.Parse(Path.GetFileNameWithoutExtension(path), null))
        .Order()];

    internal int SpareCount => Names(".chunk").Length;

    /// <summary>Reads the journal and goes on behind its end, as an open does.</summary>
    internal CommitJournal Open(
        RecordMark mark = default, bool background = false, TimeProvider? time = null, long maxChunkBytes = FormatConstants.MaxChunkBytes)
    {
        JournalStart start = Read(mark).Start;
        FailStop = new FailStop();
        Listener = new RecordingListener();
        _journals.Add(new CommitJournal(Files, start, FailStop, Listener, background, maxChunkBytes, time));
        NextId = start.LastCommit.TransactionId.Value + 1;
        return Journal;
    }

    internal CommitGroupId Seal(string body, bool durable = false) => Seal(Encoding.UTF8.GetBytes(body), durable: durable);

    internal CommitGroupId Seal(byte[] body, uint fragments = 0, bool durable = false)
    {
        CommitGroupId ticket = Journal.Seal(new TransactionId(NextId), RecordFlags.Commit, body, 0, fragments, durable);
        NextId++;
        return ticket;
    }

    internal CommitGroupId SealFragment(byte[] body, uint number) =>
        Journal.Seal(new TransactionId(NextId), RecordFlags.Fragment, body, number, 0);

    internal void Commit(string body, bool durable = true) => Journal.Complete(Seal(body), durable);

    internal void Commit(byte[] body, bool durable = true) => Journal.Complete(Seal(body), durable);

    internal ReadResult Read(RecordMark mark = default)
    {
        using CommitJournalReader reader = new(Files, mark);
        return Read(reader, mark);
    }

    /// <summary>Whole transactions, put together from their parts.</summary>
    internal static ReadResult Read(CommitJournalReader reader, RecordMark mark)
    {
        List<string> bodies = [];
        List<RecordMark> marks = [];
        string body = string.Empty;
        while (reader.TryRead(out TransactionPart part))
        {
            part.Id.Value.Should().Be(mark.TransactionId.Value + bodies.Count + 1);
            body = (part.IsFirst ? string.Empty : body) + Encoding.UTF8.GetString(part.Body);
            if (part.IsLast)
            {
                bodies.Add(body);
                marks.Add(reader.LastCommit);
            }
        }

        return new ReadResult(bodies, marks, reader.End);
    }

    internal static string PathOf(long sequence) => new JournalFiles(null!, Folder, Database).PathOf(ChunkKind.Commit, sequence);

    /// <summary>The engine's threads may create and rename files at this moment.</summary>
    private string[] Names(string suffix)
    {
        lock (Disk.Gate)
        {
            return [.. Disk.Files.Keys.Where(path => path.EndsWith(suffix, StringComparison.Ordinal))];
        }
    }

    /// <summary>Another world that sees what a killed process would have left.</summary>
    internal JournalWorld After() => new(Disk.Clone());

    public void Dispose()
    {
        _journals.ForEach(static journal => journal.Dispose());
        _journals.Clear();
    }

    internal sealed record ReadResult(List<string> Bodies, List<RecordMark> Marks, JournalStart Start);
}
