using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Checkpoints as a user meets them: what readers cost, what rest costs, what the limits do.</summary>
public class CheckpointTests
{
    private const int Keys = 6000;
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    /// <summary>
    /// A reader is held while everything is overwritten ten times. Memory goes back, for deferred pages are in mapped chunks; page chunks
    /// are a few copies of what the reader sees, however often it is overwritten.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(6)]
    public void A_reader_held_over_ten_overwrites_costs_a_bounded_number_of_copies(int checkpointsPerRound)
    {
        using TemporaryFolder folder = new();
        StorageOptions options = new()
        {
            Engine = new() { Background = false },
            JournalSoftLimitBytes = 64 << 10, JournalHardLimitBytes = 64L << 20,
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        Rounds.Overwrite(environment, 0, Keys, round: 0);
        environment.Checkpoint();
        environment.BeginWrite().Dispose();
        long copy = environment.GetReport().DataFileBytes;
        using ReadTransaction reader = environment.BeginRead();
        List<long> journal = [];
        List<long> memory = [];
        for (int round = 1; round <= 10; round++)
        {
            for (int part = 0; part < checkpointsPerRound; part++)
            {
                Rounds.Overwrite(environment, Keys * part / checkpointsPerRound, Keys * (part + 1) / checkpointsPerRound, round);
                environment.Checkpoint();
            }

            // The begins of a few write transactions give back what no reader sees.
            for (int i = 0; i < 5; i++)
            {
                environment.BeginWrite().Dispose();
            }

            EnvironmentReport now = environment.GetReport();
            journal.Add(now.JournalBytes);
            memory.Add(now.DirtyBytes);
            now.DataFileBytes.Should().BeLessThan(2 * copy);
            Rounds.Expect(reader, Keys, round: 0);
        }

        journal.Max().Should().BeLessThan(5 * copy + (1 << 20), "{0}", string.Join(' ', journal));
        memory.Max().Should().BeLessThan(copy / 2, "{0}", string.Join(' ', memory));
        Rounds.Expect(environment, Keys, round: 10);
        reader.Dispose();
        environment.BeginWrite().Dispose();
        for (int i = 0; i < 3; i++)
        {
            Rounds.Overwrite(environment, i, i + 1, round: 10);
            environment.Checkpoint();
        }

        environment.GetReport().JournalBytes.Should().BeLessThan(4 * copy, "two spare chunks stay at hand");
        Rounds.Expect(environment, Keys, round: 10);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_checkpoint_without_anything_new_does_nothing_while_a_reader_keeps_pages_back()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        Rounds.Overwrite(environment, 0, Keys, round: 0);
        environment.Checkpoint();
        environment.BeginWrite().Dispose();
        using ReadTransaction reader = environment.BeginRead();
        Rounds.Overwrite(environment, 0, Keys, round: 1);
        environment.Checkpoint();
        environment.Checkpoint();
        EnvironmentReport before = environment.GetReport();
        environment.Checkpoint();
        environment.GetReport().Checkpoints.Should().Be(before.Checkpoints);
        environment.GetReport().JournalBytes.Should().Be(before.JournalBytes);
        Rounds.Expect(reader, Keys, round: 0);
        Rounds.Expect(environment, Keys, round: 1);
    }

    /// <summary>
    /// A reader that stays over a hundred checkpoints: what the journals take on disk, spare chunks included, is bounded by the option and
    /// by a few copies of what the reader sees, and does not grow with what is written.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void With_a_reader_held_the_journals_stay_within_the_limit_and_a_few_copies(bool background)
    {
        const int LastRound = 120;
        using TemporaryFolder folder = new();
        StorageOptions options = new()
        {
            Engine = new() { Background = background },
            JournalSoftLimitBytes = 128 << 10, JournalHardLimitBytes = 512 << 10,
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        Rounds.Overwrite(environment, 0, Keys, round: 0);
        environment.Checkpoint();
        long copy = environment.GetReport().DataFileBytes;
        long most = options.JournalHardLimitBytes!.Value + (5 * copy) + (1 << 20);
        using ReadTransaction reader = environment.BeginRead();
        for (int round = 1; round <= LastRound; round++)
        {
            Rounds.Overwrite(environment, 0, Keys, round);
            environment.GetReport().JournalBytes.Should().BeLessThan(most, "round {0}", round);
            if (!background)
            {
                environment.Checkpoint();
                environment.GetReport().JournalBytes.Should().BeLessThan(most, "round {0}, after its checkpoint", round);
            }
        }

        EnvironmentReport report = environment.GetReport();
        report.Checkpoints.Should().BeGreaterThan(LastRound / 2);
        report.JournalBytesWritten.Should().BeGreaterThan(6 * most, "or the bound would say nothing");
        Rounds.Expect(reader, Keys, round: 0);
        Rounds.Expect(environment, Keys, LastRound);
    }

    /// <summary>Counts how often any thread of the environment goes on after a wait: not once when nothing is left to do.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void At_rest_no_thread_of_the_environment_wakes(bool inMemory)
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = inMemory ? StorageEnvironment.OpenInMemory() : StorageEnvironment.Open(folder.Path);
        Sample.Put(environment, 0, 500);
        WaitUntilSettled(environment);
        long before = environment.Database.WakeUps!.Value;
        Thread.Sleep(3000);
        environment.Database.WakeUps.Should().Be(before);
        environment.GetReport().Checkpoints.Should().Be(inMemory ? 0 : 1, "rest brings a database to its file, and a volatile one nowhere");
        Sample.Expect(environment, 500);
    }

    /// <summary>
    /// The flusher sleeps, and for a second no thread has gone on: one that was still preparing something when it fell asleep has ended.
    /// </summary>
    private static void WaitUntilSettled(StorageEnvironment environment)
    {
        long seen = -1;
        for (int looks = 0; looks < 60; looks++)
        {
            Thread.Sleep(1000);
            long wakeUps = environment.Database.WakeUps!.Value;
            if (environment.Database.IsAtRest && wakeUps == seen)
            {
                return;
            }

            seen = wakeUps;
        }

        Assert.Fail("The environment has not come to rest for a minute.");
    }

    [Fact]
    public void A_checkpoint_allocates_nothing_for_its_pages()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions
        {
            Engine = new() { Background = false },
        });
        long[] allocated = [long.MaxValue, long.MaxValue];
        for (int warm = 0; warm < 8; warm++)
        {
            foreach ((int size, int keys) in ((int, int)[])[(0, Keys / 30), (1, Keys)])
            {
                Rounds.Overwrite(environment, 0, keys, warm);
                allocated[size] = Math.Min(allocated[size], Allocations.Least(environment.Checkpoint, rounds: 1));
            }
        }

        allocated[1].Should().BeLessThan(allocated[0] + 2048, "thirty times the pages cost no more than file names");
        allocated[1].Should().BeLessThan(16 << 10);
    }

    [Fact]
    public void Journal_chunks_are_no_longer_than_the_soft_limit_asks_for()
    {
        using TemporaryFolder folder = new();
        StorageOptions options = new() { JournalSoftLimitBytes = 256 << 10, JournalHardLimitBytes = 1 << 20 };
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        using ReadTransaction reader = environment.BeginRead();
        for (int round = 0; round < 40; round++)
        {
            Rounds.Overwrite(environment, 0, 1000, round);
            FileInfo[] chunks = new DirectoryInfo(Path.Combine(folder.Path, "journal")).GetFiles("*.commit");
            chunks.Where(static chunk => chunk.Exists).Sum(static chunk => chunk.Length).Should().BeLessThan(3 << 20);
        }
    }

    /// <summary>Readers may hold more than the limit; writers then get a part of it for themselves and do not wait at every turn.</summary>
    [Fact]
    public void Writers_get_on_although_readers_hold_more_memory_than_the_limit()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(
            new StorageOptions { Engine = new() { Background = false }, MaxDirtyBytes = 1 << 20 });
        List<ReadTransaction> readers = [];
        for (int round = 0; round < 12; round++)
        {
            Rounds.Overwrite(environment, 0, 2000, round);
            readers.Add(environment.BeginRead());
        }

        long blocked = environment.GetReport().BlockedWriters;
        for (int i = 0; i < 200; i++)
        {
            Rounds.Overwrite(environment, i, i + 1, round: 12);
        }

        EnvironmentReport report = environment.GetReport();
        report.DirtyBytes.Should().BeGreaterThan(1 << 20);
        (report.BlockedWriters - blocked).Should().BeLessThan(20);
        readers.ForEach(static reader => reader.Dispose());
    }

    [Fact]
    public void Rests_follow_what_commits_lose()
    {
        TimeSpan work = TimeSpan.FromMilliseconds(2);
        CommitLatency.RestAfter(work, quiet: 100, disturbed: 0).Should().Be(TimeSpan.Zero, "no commit met a piece");
        CommitLatency.RestAfter(work, quiet: 100, disturbed: 90).Should().Be(TimeSpan.Zero);
        CommitLatency.RestAfter(work, quiet: 100, disturbed: 105).Should().Be(TimeSpan.Zero, "the loss is within its share");
        TimeSpan some = CommitLatency.RestAfter(work, quiet: 100, disturbed: 200);
        TimeSpan more = CommitLatency.RestAfter(work, quiet: 100, disturbed: 1000);
        some.Should().BeGreaterThan(work);
        more.Should().BeGreaterThan(some);
        CommitLatency.RestAfter(TimeSpan.FromSeconds(1), quiet: 1, disturbed: 1000).Should().BeLessThan(TimeSpan.FromMilliseconds(51));
    }

    [Fact]
    public void Writers_are_slowed_in_proportion()
    {
        TimeSpan transaction = TimeSpan.FromMilliseconds(1);
        WriterBrake.WaitAfter(transaction, 0).Should().Be(TimeSpan.Zero);
        WriterBrake.WaitAfter(transaction, 0.5).Should().Be(transaction, "half the speed is left");
        WriterBrake.WaitAfter(transaction, 0.75).Should().Be(3 * transaction, "a quarter of the speed is left");
        WriterBrake.WaitAfter(transaction, 0.9999).Should().Be(TimeSpan.FromMilliseconds(100), "no wait is longer");
    }

    /// <summary>
    /// Small transactions beside a checkpoint that is held up meet the brake before the hard limit; after one that goes past the hard limit
    /// the next one waits, until the checkpoint goes on.
    /// </summary>
    [Fact]
    public async Task Both_limits_are_counted()
    {
        CancellationToken cancelled = TestContext.Current.CancellationToken;
        using WatchedDisk disk = new();
        using ManualResetEventSlim goesOn = new();
        string folder = Path.GetFullPath("/db");
        StorageOptions options = new()
        {
            Engine = new() { Disk = disk },
            JournalSoftLimitBytes = 64 << 10, JournalHardLimitBytes = 512 << 10,
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder, options);
        disk.OnCall = (call, path) =>
        {
            if (call == "sync" && path == Path.Combine(folder, "data.voron"))
            {
                goesOn.Wait(Long, cancelled);
            }

            return IoError.Success;
        };
        while (environment.GetReport() is { SlowedWriters: 0, BlockedWriters: 0 })
        {
            Rounds.Overwrite(environment, 0, 60, round: 0);

            // The brake takes its share of the time between two transactions; what is shorter than it can wait it keeps in mind.
            Thread.Sleep(2);
        }

        environment.GetReport().SlowedWriters.Should().BePositive();
        Rounds.Overwrite(environment, 0, 16_000, round: 1);
        Task waiting = Task.Run(() => Rounds.Overwrite(environment, 0, 60, round: 2), cancelled);
        SpinWait.SpinUntil(() => environment.GetReport().BlockedWriters > 0, Long).Should().BeTrue();
        waiting.IsCompleted.Should().BeFalse("the checkpoint is held up");
        goesOn.Set();
        await waiting.WaitAsync(Long, cancelled);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>The checkpoint that runs releases what it began with; the next one, which is held up to the end, is not needed.</summary>
    [Fact]
    public async Task A_writer_at_the_hard_limit_waits_for_no_more_than_the_running_checkpoint()
    {
        CancellationToken cancelled = TestContext.Current.CancellationToken;
        using WatchedDisk disk = new();
        using ManualResetEventSlim firstGoesOn = new();
        using ManualResetEventSlim othersGoOn = new();
        string folder = Path.GetFullPath("/db");
        CheckpointCounter counter = new();
        StorageOptions options = new()
        {
            Engine = new() { Disk = disk },
            JournalSoftLimitBytes = 64 << 10, JournalHardLimitBytes = 512 << 10,
            Observer = counter,
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder, options);
        disk.OnCall = (call, path) =>
        {
            if (call == "sync" && path == Path.Combine(folder, "data.voron"))
            {
                (counter.Ended == 0 ? firstGoesOn : othersGoOn).Wait(Long, cancelled);
            }

            return IoError.Success;
        };
        Task writing = Task.Run(
            () =>
            {
                for (int i = 0; environment.GetReport().BlockedWriters == 0; i++)
                {
                    Rounds.Overwrite(environment, 0, 500, i);
                }
            },
            cancelled);
        SpinWait.SpinUntil(() => environment.GetReport().BlockedWriters > 0, Long).Should().BeTrue();
        writing.IsCompleted.Should().BeFalse("the running checkpoint is held up");
        firstGoesOn.Set();
        await writing.WaitAsync(Long, cancelled);
        othersGoOn.Set();
        environment.Check().Findings.Should().BeEmpty();
    }

    private sealed class CheckpointCounter : StorageObserver
    {
        private int _ended;

        internal int Ended => Volatile.Read(ref _ended);

        public override void CheckpointEnded(in CheckpointReport checkpoint) => Interlocked.Increment(ref _ended);
    }
}
