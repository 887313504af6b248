using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.History;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Values that a leader writes to their places in its data file: the log has them, and every node places them anew.</summary>
public sealed class LargeValueTests : IDisposable
{
    private const int FragmentBytes = 4096;
    private static readonly Guid Log = new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_follower_has_the_values_of_a_leader()
    {
        Recorder log = new();
        using StorageEnvironment leader = Lead(log);
        Write(leader, transaction =>
        {
            Tree tree = transaction.OpenTree("t");
            tree.Put("first"u8, Bytes(1, 300_000));
            tree.Put("second"u8, Bytes(2, 1_000_000));
            tree.Put("small"u8, "x"u8);
            tree.Put("first"u8, Bytes(3, 70_000));
        });
        Write(leader, transaction =>
        {
            PipeWriter writer = transaction.OpenTree("t").OpenValueWriter("stream"u8);
            writer.Write(Bytes(4, 5_000_000));
            writer.Complete();
            transaction.OpenTree("t").Delete("second"u8);
        });
        log.Contents.Should().BeGreaterThan(5_000_000 / (256 << 10));
        await CompareAsync(leader, log);
    }

    [Fact]
    public async Task What_a_transaction_undoes_is_nowhere_on_a_follower()
    {
        Recorder log = new();
        using StorageEnvironment leader = Lead(log);
        Write(leader, transaction => PutAndUndo(transaction, static () => { }));
        using (WriteTransaction given = leader.BeginWrite())
        {
            given.OpenTree("t").Put("gone"u8, Bytes(9, 200_000));
            Fill(given.OpenTree("t"));
        }

        Write(leader, static transaction => transaction.OpenTree("t").Put("after"u8, Bytes(5, 200_000)));
        await CompareAsync(leader, log);
    }

    /// <summary>The log is slow: when it takes the fragment, the value that it names was undone, and another one placed.</summary>
    [Fact]
    public async Task A_run_that_was_undone_stays_until_the_log_has_read_it()
    {
        Recorder log = new();
        using StorageEnvironment leader = Lead(log);
        using ManualResetEventSlim isUndone = new();
        log.OnAppend = isUndone.Wait;
        Write(leader, transaction => PutAndUndo(transaction, isUndone.Set));
        await CompareAsync(leader, log);
    }

    [Fact]
    public async Task A_follower_refuses_values_that_do_not_fit_their_operations()
    {
        Recorder log = new();
        using StorageEnvironment leader = Lead(log);
        Write(leader, static transaction => transaction.OpenTree("t").Put("k"u8, Bytes(1, 600_000)));
        int content = log.Records.FindIndex(static one => one.Record.IsContent);
        (RedoRecord record, byte[] bytes) = log.Records[content];
        await RefusesAsync([.. log.Records[..content], .. log.Records[(content + 1)..]], "a piece is missing");
        await RefusesAsync([.. log.Records[..content], (record, bytes[..8]), .. log.Records[content..]], "a piece is empty");
        await RefusesAsync([.. log.Records[..content], (record, bytes), .. log.Records[content..]], "a piece comes twice");
        byte[] longer = [.. bytes];
        BitConverter.TryWriteBytes(longer, 1L << 40);
        await RefusesAsync([.. log.Records[..content], (record, longer), .. log.Records[(content + 1)..]], "a length is impossible");
        await RefusesAsync(log.Records[content..], "the transaction begins with a value");
        await CompareAsync(leader, log);
    }

    private static void PutAndUndo(WriteTransaction transaction, Action undone)
    {
        Tree tree = transaction.OpenTree("t");
        tree.Put("kept"u8, Bytes(6, 100_000));
        Savepoint savepoint = transaction.CreateSavepoint();
        tree.Put("undone"u8, Bytes(7, 200_000));
        Fill(tree);
        transaction.RollbackTo(savepoint);
        tree.Put("other"u8, Bytes(8, 200_000));
        undone();
        Fill(tree);
    }

    /// <summary>Puts so much that a fragment leaves before the transaction ends.</summary>
    private static void Fill(Tree tree)
    {
        for (int i = 0; i < 100; i++)
        {
            tree.Put(BitConverter.GetBytes(i), Bytes(i, 100));
        }
    }

    private static byte[] Bytes(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static void Write(StorageEnvironment environment, Action<WriteTransaction> write)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        write(transaction);
        transaction.Commit();
    }

    private static Dictionary<string, byte[]> ContentOf(StorageEnvironment environment)
    {
        environment.Check().Findings.Should().BeEmpty();
        Dictionary<string, byte[]> content = [];
        using ReadTransaction transaction = environment.BeginRead();
        foreach (TreeEntry entry in transaction.OpenTree("t"))
        {
            transaction.OpenTree("t").TryOpenValueReader(entry.Key, out PipeReader? reader).Should().BeTrue();
            using Stream value = reader!.AsStream();
            using MemoryStream all = new();
            value.CopyTo(all);
            content.Add(Convert.ToHexString(entry.Key), all.ToArray());
        }

        return content;
    }

    private static void Refuse() => throw new InvalidDataException("refused");

    private StorageEnvironment Open() => StorageEnvironment.Open(
        Path.Combine(_folder.Path, Guid.NewGuid().ToString("N")), ReplicaDoor.SettingsOf(new StorageOptions(), FragmentBytes));

    private StorageEnvironment Lead(Recorder log)
    {
        StorageEnvironment environment = Open();
        ReplicaDoor door = new(environment, Refuse);
        door.Join(Log);
        log.Parts = door.MakeParts();
        door.Lead(log, CommitMode.Buffered);
        return environment;
    }

    private async Task CompareAsync(StorageEnvironment leader, Recorder log)
    {
        using StorageEnvironment follower = Open();
        await ApplyAsync(follower, log.Records);
        Dictionary<string, byte[]> expected = ContentOf(leader);
        Dictionary<string, byte[]> found = ContentOf(follower);
        found.Keys.Should().BeEquivalentTo(expected.Keys);
        found.Should().AllSatisfy(one => one.Value.AsSpan().SequenceEqual(expected[one.Key]).Should().BeTrue(one.Key));
    }

    private async Task RefusesAsync(List<(RedoRecord Record, byte[] Bytes)> records, string why)
    {
        using StorageEnvironment follower = Open();
        Func<Task> apply = () => ApplyAsync(follower, records);
        await apply.Should().ThrowAsync<CorruptJournalException>(why);
        using ReadTransaction read = follower.BeginRead();
        read.TransactionId.Should().Be(0, why);
        follower.Check().Findings.Should().BeEmpty(why);
    }

    private static async Task ApplyAsync(StorageEnvironment follower, List<(RedoRecord Record, byte[] Bytes)> records)
    {
        ReplicaDoor door = new(follower, Refuse);
        door.Join(Log);
        foreach ((RedoRecord record, byte[] bytes) in records)
        {
            await door.ApplyAsync(record, bytes, CancellationToken.None);
        }
    }

    private sealed class Recorder : IOuterLog, IGroupPartSink
    {
        internal List<(RedoRecord Record, byte[] Bytes)> Records { get; } = [];

        internal int Contents => Records.Count(static one => one.Record.IsContent);

        internal GroupParts? Parts { get; set; }

        internal Action OnAppend { get; set; } = static () => { };

        public void Append(CommitGroup group)
        {
            OnAppend();
            Parts!.Cut(group, this);
        }

        public void Take(RedoRecord record, ReadOnlySpan<byte> bytes) => Records.Add((record, bytes.ToArray()));
    }
}
