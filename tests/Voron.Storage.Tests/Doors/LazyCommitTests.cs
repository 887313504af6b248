using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Commits that stay in memory for a while: seen at once, written later, in order, and never in the way of others.</summary>
public sealed class LazyCommitTests : IDisposable
{
    private static readonly StorageOptions Quiet = new() { Engine = new() { Background = false } };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void It_is_seen_at_once_and_costs_no_write()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Quiet);
        long writes = environment.GetReport().JournalWrites;
        for (int i = 0; i < 100; i++)
        {
            Sample.Put(environment, i, i + 1, mode: CommitMode.Lazy);
            using ReadTransaction read = environment.BeginRead();
            read.TransactionId.Should().Be(i + 1);
        }

        environment.GetReport().JournalWrites.Should().Be(writes);
        environment.GetReport().Commits.Should().Be(100);
        environment.GetReport().WaitingCommits.Should().Be(0);
        Sample.Expect(environment, 100);
    }

    [Fact]
    public void What_nobody_will_ever_see_again_does_not_pile_up()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Quiet);
        Put(environment, 1);
        using ReadTransaction held = environment.BeginRead();
        EnvironmentReport before = environment.GetReport();
        for (int i = 2; i < 200; i++)
        {
            Put(environment, i);
        }

        EnvironmentReport report = environment.GetReport();
        report.JournalWrites.Should().Be(before.JournalWrites, "the journal has not been written, and still the versions between go");
        report.DirtyBytes.Should().BeLessThan(before.DirtyBytes + (32 << 10), "a few versions of two pages are left");
        held.OpenTree(Sample.Tree).TryGet(Sample.Key(0), out ReadOnlySpan<byte> seen).Should().BeTrue();
        seen.ToArray().Should().Equal(Sample.Value(20, 1), "the reader has kept what it sees");

        static void Put(StorageEnvironment environment, int seed)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(20, seed));
            transaction.Commit(CommitMode.Lazy);
        }
    }

    [Theory]
    [InlineData("durable")]
    [InlineData("buffered")]
    [InlineData("flush")]
    [InlineData("flush async")]
    [InlineData("checkpoint")]
    [InlineData("dispose")]
    public async Task It_leaves_with(string what)
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Quiet);
        for (int i = 0; i < 10; i++)
        {
            Sample.Put(environment, i, i + 1, mode: CommitMode.Lazy);
        }

        int expected = 10;
        switch (what)
        {
            case "durable" or "buffered":
                Sample.Put(environment, 10, 11, mode: what == "durable" ? CommitMode.Durable : CommitMode.Buffered);
                expected++;
                break;
            case "flush":
                environment.Flush();
                environment.GetReport().JournalWrites.Should().Be(1);
                environment.Flush();
                break;
            case "flush async":
                await environment.FlushAsync(TestContext.Current.CancellationToken);
                break;
            case "checkpoint":
                environment.Checkpoint();
                environment.GetReport().CheckpointTransactionId.Should().Be(10);
                break;
            default:
                environment.Dispose();
                break;
        }

        if (what != "dispose")
        {
            environment.Database.Abandon();
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path, Quiet);
        Sample.Expect(again, expected);
    }

    [Fact]
    public void A_killed_process_loses_the_last_ones_only()
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Quiet))
        {
            Sample.Put(environment, 0, 5, mode: CommitMode.Lazy);
            Sample.Put(environment, 5, 6);
            Sample.Put(environment, 6, 9, mode: CommitMode.Lazy);
            environment.Database.Abandon();
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path, Quiet);
        Sample.Expect(again, 6);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_background_writes_it(bool byTime)
    {
        LazyWindow window = byTime ? new LazyWindow(TimeSpan.FromMilliseconds(5), 1 << 30) : new LazyWindow(TimeSpan.FromMinutes(1), 4096);
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions { LazyWindow = window });
        Sample.Put(environment, 0, 100, mode: CommitMode.Lazy);
        Sample.Put(environment, 100, 300, mode: CommitMode.Lazy);
        SpinWait.SpinUntil(() => environment.GetReport().JournalWrites > 0, TimeSpan.FromSeconds(30)).Should().BeTrue();
    }

    /// <summary>A snapshot is a number: who sees the lazy one would see the durable one before it as well.</summary>
    [Fact]
    public async Task It_waits_for_a_durable_one_before_it_to_be_seen()
    {
        using WatchedDisk disk = new();
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        using StorageEnvironment environment = StorageEnvironment.Open(
            "/db", new StorageOptions { Engine = new() { Disk = disk, Background = false }, DisposeTimeout = Timeout.InfiniteTimeSpan });
        disk.OnCommitWrite = () =>
        {
            entered.Set();
            release.Wait(TestContext.Current.CancellationToken);
            return IoError.Success;
        };
        Task durable;
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(20, 0));
            durable = transaction.CommitAsync(cancellationToken: TestContext.Current.CancellationToken).AsTask();
        }

        entered.Wait(TestContext.Current.CancellationToken);
        Sample.Put(environment, 1, 2, mode: CommitMode.Lazy);
        Visible(environment).Should().Be(0);
        release.Set();
        await durable;
        Visible(environment).Should().Be(2);
        Sample.Put(environment, 2, 3, mode: CommitMode.Lazy);
        Visible(environment).Should().Be(3);
        Sample.Expect(environment, 3);
    }

    [Fact]
    public void After_a_failed_write_it_is_refused_and_reads_go_on()
    {
        using WatchedDisk disk = new();
        StorageEnvironment environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
        });
        Sample.Put(environment, 0, 3);
        Sample.Put(environment, 3, 4, mode: CommitMode.Lazy);
        disk.OnCommitWrite = static () => new IoError(IoErrorKind.Device, 5);
        ((Action)environment.Flush).Should().Throw<CommitOutcomeUnknownException>();
        ((Action)(() => Sample.Put(environment, 4, 5, mode: CommitMode.Lazy))).Should().Throw<StoragePoisonedException>();
        ((Action)environment.Flush).Should().Throw<CommitOutcomeUnknownException>();
        using (ReadTransaction read = environment.BeginRead())
        {
            read.OpenTree(Sample.Tree).Count.Should().Be(4, "it was seen before, and is not taken back from who looks");
        }

        disk.OnCommitWrite = null;
        environment.Dispose();
        using StorageEnvironment again = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
        });
        using ReadTransaction after = again.BeginRead();
        after.OpenTree(Sample.Tree).Count.Should().BeInRange(3, 4);
    }

    [Fact]
    public void Windows_are_checked()
    {
        foreach (LazyWindow wrong in (LazyWindow[])[default, new(TimeSpan.FromSeconds(1), 0), new(TimeSpan.FromHours(1), 1)])
        {
            Action open = () => StorageEnvironment.OpenInMemory(new StorageOptions { LazyWindow = wrong });
            open.Should().Throw<ArgumentException>();
        }
    }

    private static long Visible(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return read.TransactionId;
    }
}
