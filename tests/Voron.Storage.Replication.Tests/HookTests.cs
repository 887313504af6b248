using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.History;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>The engine beside an outer log: what the log does not take is never seen and never written.</summary>
public sealed class HookTests : IDisposable
{
    private static readonly Guid Log = new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    private readonly TemporaryFolder _folder = new();

    private string FolderPath => Path.Combine(_folder.Path, "data");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitMode.Durable)]
    [InlineData(CommitMode.Buffered)]
    [InlineData(CommitMode.Lazy)]
    public void A_group_is_seen_only_when_the_log_has_it(CommitMode mode)
    {
        using StorageEnvironment environment = Open();
        OuterLog log = new();
        Lead(environment, log);
        log.OnAppend = () => Count(environment).Should().Be(0, "the log does not have it yet");
        Put(environment, 1, mode);
        log.Groups.Should().Be(1);
        Count(environment).Should().Be(1);
    }

    [Fact]
    public async Task A_group_that_the_log_refuses_is_nowhere()
    {
        using (StorageEnvironment environment = Open())
        {
            OuterLog log = new();
            Lead(environment, log);
            Put(environment, 1, CommitMode.Durable);
            log.OnAppend = static () => throw new TimeoutException("no answer");
            Action put = () => Put(environment, 2, CommitMode.Durable);
            put.Should().Throw<CommitOutcomeUnknownException>();
            Func<Task> share = async () => await environment.WriteAsync(static (transaction, _) => transaction.OpenTree("t"), 0);
            await share.Should().ThrowAsync<StoragePoisonedException>();
            Count(environment).Should().Be(1);
        }

        using StorageEnvironment again = Open();
        Count(again).Should().Be(1);
        again.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_leader_goes_back_to_what_its_journal_has()
    {
        using StorageEnvironment environment = Open();
        OuterLog log = new();
        ReplicaDoor door = Lead(environment, log);
        Put(environment, 1, CommitMode.Durable);
        log.OnAppend = static () => throw new TimeoutException("no answer");
        Action put = () => Put(environment, 2, CommitMode.Durable);
        put.Should().Throw<CommitOutcomeUnknownException>();
        door.TryFollow(Log, TimeSpan.Zero, flushes: false).Should().BeFalse("a transaction is sealed and not written");
        door.Reopen();
        Count(environment).Should().Be(1);
        door.LastTransaction.Should().Be(1);
        put.Should().Throw<InvalidDataException>().WithMessage("refused");
        log.OnAppend = static () => { };
        door.Lead(log, CommitMode.Buffered);
        Put(environment, 2, CommitMode.Durable);
        Count(environment).Should().Be(2);
        door.TryFollow(Log, TimeSpan.Zero, flushes: false).Should().BeTrue();
    }

    [Fact]
    public async Task Records_of_another_node_keep_their_numbers()
    {
        List<(RedoRecord Record, byte[] Body)> records = [];
        using (StorageEnvironment leader = Open())
        {
            Lead(leader, new OuterLog { OnRecord = (record, body) => records.Add((record, body)) });
            for (int i = 1; i <= 5; i++)
            {
                Put(leader, i, CommitMode.Durable);
            }
        }

        using StorageEnvironment follower = StorageEnvironment.Open(Path.Combine(_folder.Path, "other"));
        ReplicaDoor door = new(follower, Refuse);
        door.Join(Log);
        Func<Task> gap = async () => await ApplyAsync(door, records[1]);
        await gap.Should().ThrowAsync<ChangesGoneException>();
        foreach ((RedoRecord Record, byte[] Body) record in records)
        {
            (await ApplyAsync(door, record)).Should().BeTrue();
            (await ApplyAsync(door, record)).Should().BeFalse("it is here already");
            door.LastTransaction.Should().Be(record.Record.TransactionId.Value);
        }

        Count(follower).Should().Be(5);
        Func<Task> junk = async () => await ApplyAsync(
            door, (new RedoRecord(new TransactionId(6), 0, IsLast: true), [1, 99, 3]));
        await junk.Should().ThrowAsync<CorruptJournalException>();
        Func<Task> middle = async () => await ApplyAsync(door, (new RedoRecord(new TransactionId(6), 2, IsLast: true), []));
        await middle.Should().ThrowAsync<CorruptJournalException>();
        door.LastTransaction.Should().Be(5);
    }

    private static ValueTask<bool> ApplyAsync(ReplicaDoor door, (RedoRecord Record, byte[] Body) record) =>
        door.ApplyAsync(record.Record, record.Body, CancellationToken.None);

    private static void Refuse() => throw new InvalidDataException("refused");

    private static ReplicaDoor Lead(StorageEnvironment environment, OuterLog log)
    {
        ReplicaDoor door = new(environment, Refuse);
        door.Join(Log);
        log.Parts = door.MakeParts();
        door.Lead(log, CommitMode.Buffered);
        return door;
    }

    private static void Put(StorageEnvironment environment, int key, CommitMode mode)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("t").Put(BitConverter.GetBytes(key), [1]);
        transaction.Commit(mode);
    }

    private static long Count(StorageEnvironment environment)
    {
        using ReadTransaction transaction = environment.BeginRead();
        return transaction.TryOpenTree("t", out ReadTree tree) ? tree.Count : 0;
    }

    private StorageEnvironment Open() => StorageEnvironment.Open(FolderPath);

    private sealed class OuterLog : IOuterLog, IGroupPartSink
    {
        internal Action OnAppend { get; set; } = static () => { };

        internal Action<RedoRecord, byte[]> OnRecord { get; init; } = static (_, _) => { };

        internal GroupParts? Parts { get; set; }

        internal int Groups { get; private set; }

        public void Append(CommitGroup group)
        {
            OnAppend();
            Groups++;
            Parts!.Cut(group, this);
        }

        public void Take(RedoRecord record, ReadOnlySpan<byte> bytes) => OnRecord(record, bytes.ToArray());
    }
}
