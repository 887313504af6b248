using System.Buffers.Binary;
using System.Globalization;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Sixteen threads read snapshots while others write and checkpoints run. Money moves between accounts, so that every snapshot has the same
/// sum; each transaction writes its own id beside what it changes, so that a snapshot shows which transactions it holds: all up to its own
/// and none after it. VORON_OPERATIONS lengthens the run.
/// </summary>
public sealed class IsolationTests(ITestOutputHelper output)
{
    private const int Readers = 16;
    private const int Writers = 2;
    private const int Accounts = 64;
    private const long Start = 1_000;
    private const long DefaultReads = 20_000;

    private static readonly string[] Trees = ["left", "right"];

    private readonly long[] _seenByAnybody = new long[1];

    [Fact]
    public async Task Every_snapshot_is_the_state_after_one_transaction()
    {
        long reads = Environment.GetEnvironmentVariable("VORON_OPERATIONS") is { Length: > 0 } given
            ? long.Parse(given, CultureInfo.InvariantCulture)
            : DefaultReads;
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(
            folder.Path,
            new StorageOptions { JournalSoftLimitBytes = 256 << 10, LazyWindow = new(TimeSpan.FromMilliseconds(2), 64 << 10) });
        Prepare(environment);
        bool stop = false;
        Func<bool> isOver = () => Volatile.Read(ref stop);
        Task[] writing = [.. Enumerable.Range(0, Writers).Select(writer => Begin(() => Write(environment, writer, isOver)))];
        Task[] reading = [.. Enumerable.Range(0, Readers).Select(reader => Begin(() => Read(environment, reader, reads / Readers)))];
        await Task.WhenAny(Task.WhenAll(reading), Task.WhenAny(writing));
        Volatile.Write(ref stop, true);
        await Task.WhenAll([.. reading, .. writing]);
        EnvironmentReport report = environment.GetReport();
        output.WriteLine($"{reads} snapshot reads beside {report.Commits} commits and {report.Checkpoints} checkpoints");
        report.OpenReaders.Should().Be(0);
        environment.Check().Findings.Should().BeEmpty();
    }

    private static Task Begin(Action work) => Task.Factory.StartNew(
        work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void Prepare(StorageEnvironment environment)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        foreach (string name in Trees)
        {
            Tree tree = transaction.OpenTree(name);
            for (int account = 0; account < Accounts; account++)
            {
                tree.Put(Sample.Key(account), Balance(Start, transaction.TransactionId));
            }
        }

        transaction.OpenTree("last").Put("id"u8, Balance(transaction.TransactionId, 0));
        transaction.Commit();
    }

    /// <summary>Moves money from one tree to the other, in every mode, sometimes with a detour that is undone.</summary>
    private static void Write(StorageEnvironment environment, int writer, Func<bool> isOver)
    {
        Random random = new(writer);
        while (!isOver())
        {
            using WriteTransaction transaction = environment.BeginWrite();
            if (random.Next(4) == 0)
            {
                Savepoint savepoint = transaction.CreateSavepoint();
                transaction.OpenTree(Trees[0]).DeleteRange(Sample.Key(0), Sample.Key(random.Next(Accounts)));
                transaction.DropTree("last");
                transaction.RollbackTo(savepoint);
            }

            for (int i = random.Next(1, 6); i > 0; i--)
            {
                long amount = random.Next(100);
                Move(transaction, Trees[0], random.Next(Accounts), -amount);
                Move(transaction, Trees[1], random.Next(Accounts), amount);
            }

            transaction.OpenTree("last").Put("id"u8, Balance(transaction.TransactionId, 0));
            if (random.Next(10) > 0)
            {
                transaction.Commit((CommitMode)random.Next(3));
            }
        }
    }

    private static void Move(WriteTransaction transaction, string name, int account, long amount)
    {
        Tree tree = transaction.OpenTree(name);
        long balance = BinaryPrimitives.ReadInt64LittleEndian(tree.Get(Sample.Key(account)));
        tree.Put(Sample.Key(account), Balance(balance + amount, transaction.TransactionId));
    }

    private static byte[] Balance(long amount, long transaction)
    {
        byte[] value = new byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(value, amount);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(8), transaction);
        return value;
    }

    private void Read(StorageEnvironment environment, int reader, long count)
    {
        Random random = new(1000 + reader);
        for (long i = 0; i < count; i++)
        {
            long before = Volatile.Read(ref _seenByAnybody[0]);
            using ReadTransaction read = environment.BeginRead();
            long id = read.TransactionId;
            IsTrue(id >= before, "a later snapshot is older than one that somebody has seen");
            Raise(id);
            Look(read, id);
            if (random.Next(20) == 0)
            {
                using ReadTransaction clone = read.Clone();
                Look(clone, id);
                read.Renew();
                Look(read, read.TransactionId);
                Look(clone, id);
            }
        }
    }

    private static void Look(ReadTransaction read, long id)
    {
        long sum = 0;
        foreach (string name in Trees)
        {
            int accounts = 0;
            foreach ((_, ReadOnlySpan<byte> value) in read.OpenTree(name))
            {
                sum += BinaryPrimitives.ReadInt64LittleEndian(value);
                IsTrue(BinaryPrimitives.ReadInt64LittleEndian(value[8..]) <= id, "a snapshot shows a later transaction");
                accounts++;
            }

            IsTrue(accounts == Accounts, "a snapshot shows what was undone");
        }

        IsTrue(sum == Start * Accounts * Trees.Length, "a snapshot shows half a transaction");
        IsTrue(read.OpenTree("last").TryGet("id"u8, out ReadOnlySpan<byte> last), "a snapshot misses a tree");
        IsTrue(BinaryPrimitives.ReadInt64LittleEndian(last) == id, "a snapshot is not the state after its own transaction");
    }

    private void Raise(long id)
    {
        long seen;
        while ((seen = Volatile.Read(ref _seenByAnybody[0])) < id
            && Interlocked.CompareExchange(ref _seenByAnybody[0], id, seen) != seen)
        {
            // Another reader was quicker: look again.
        }
    }

    private static void IsTrue(bool condition, string otherwise)
    {
        if (!condition)
        {
            throw new InvalidOperationException(otherwise);
        }
    }
}
