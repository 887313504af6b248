using System.Buffers.Binary;
using FluentAssertions;
using Voron.Native;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What a commit costs, by the engine's own counters, and what an empty database takes on disk.</summary>
public class CounterTests
{
    public static TheoryData<string> Orders => ["random", "sequential", "descending"];

    [Theory]
    [MemberData(nameof(Orders))]
    public void A_durable_commit_is_one_write_without_a_sync_of_at_most_16_KiB(string order)
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        Random random = new(3);
        byte[] key = new byte[16];
        byte[] value = new byte[100];
        bool flushesWrites = FlushesWrites(folder.Path);
        (OperatingSystem.IsLinux() && flushesWrites).Should().BeFalse("a write of Linux is on the device when it returns");
        long lastBytes = 0;
        for (int commit = 1; commit <= 400; commit++)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree("headline");
                for (int i = 0; i < 100; i++)
                {
                    random.NextBytes(key);
                    random.NextBytes(value);
                    if (order != "random")
                    {
                        int number = (commit * 100) + i;
                        BinaryPrimitives.WriteInt32BigEndian(key, order == "sequential" ? number : int.MaxValue - number);
                    }

                    tree.Put(key, value);
                }

                transaction.Commit();
            }

            // Chunks of 64 KiB, 128 KiB, … are gone over on the way; that adds no write of a commit and no sync. Where write-through
            // alone is not known to reach the device, every write makes one.
            EnvironmentReport report = environment.GetReport();
            report.Commits.Should().Be(commit);
            report.JournalWrites.Should().Be(commit);
            report.JournalSyncs.Should().Be(flushesWrites ? commit : 0);
            (report.JournalBytesWritten - lastBytes).Should().BeInRange(11_600, 16 << 10);
            lastBytes = report.JournalBytesWritten;
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Transactions_that_leave_with_one_write_are_a_group()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 1);
        environment.GetReport().LargestGroup.Should().Be(1);
        List<CommitGroupId> tickets = [];
        for (int i = 1; i <= 3; i++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree(Sample.Tree).Put(Sample.Key(i), Sample.Value(20, i));
            tickets.Add(transaction.Seal(CommitMode.Durable));
        }

        tickets.ForEach(ticket => environment.Database.Complete(ticket, CommitMode.Durable));
        EnvironmentReport report = environment.GetReport();
        (report.LargestGroup, report.JournalWrites, report.Commits).Should().Be((3, 2, 4));
        Sample.Expect(environment, 4);
    }

    [Fact]
    public void Commits_without_changes_write_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 1);
        EnvironmentReport before = environment.GetReport();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.TryAdd(Sample.Key(0), default).Should().BeFalse();
            tree.Delete("missing"u8).Should().BeFalse();
            transaction.DropTree("missing").Should().BeFalse();
            transaction.Commit();
        }

        EnvironmentReport after = environment.GetReport();
        after.JournalWrites.Should().Be(before.JournalWrites);
        after.LastTransactionId.Should().Be(before.LastTransactionId);
        environment.Checkpoint();
        long checkpoints = environment.GetReport().Checkpoints;
        environment.Checkpoint();
        environment.GetReport().Checkpoints.Should().Be(checkpoints, "nothing was committed since");
    }

    [Fact]
    public void The_report_is_plausible()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = 16384 });
        EnvironmentReport empty = environment.GetReport();
        empty.PageBytes.Should().Be(16384);
        empty.LastTransactionId.Should().Be(0);
        empty.OpenReaders.Should().Be(0);
        empty.OldestReaderAge.Should().Be(TimeSpan.Zero);
        Sample.Put(environment, 0, 1000, 200);
        EnvironmentReport written = environment.GetReport();
        written.LastTransactionId.Should().Be(1);
        written.CheckpointTransactionId.Should().Be(0);
        written.DirtyBytes.Should().BeGreaterThan(200_000);
        using ReadTransaction reader = environment.BeginRead();
        environment.Checkpoint();
        EnvironmentReport report = environment.GetReport();
        report.CheckpointTransactionId.Should().Be(1);
        report.Checkpoints.Should().Be(1);
        report.OpenReaders.Should().Be(1);
        bool hasAged = SpinWait.SpinUntil(() => environment.GetReport().OldestReaderAge > TimeSpan.Zero, TimeSpan.FromMinutes(1));
        hasAged.Should().BeTrue("a reader grows older with the next tick of the coarse clock, which a quick checkpoint can come before");
        report.DataFileBytes.Should().Be(new FileInfo(Sample.Data(folder)).Length);
        report.FreeBytes.Should().BeInRange(0, report.DataFileBytes);
        report.JournalBytes.Should().BeInRange(1, 4 << 20);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void An_empty_database_with_its_journal_takes_at_most_a_mebibyte(int pageBytes)
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = pageBytes }))
        {
            environment.Check().Findings.Should().BeEmpty();
            BytesOf(folder).Should().BeLessThanOrEqualTo(1 << 20);
        }

        BytesOf(folder).Should().BeLessThanOrEqualTo(1 << 20);
    }

    private static long BytesOf(TemporaryFolder folder) => Directory.GetFiles(folder.Path, "*", SearchOption.AllDirectories)
        .Sum(LengthOf);

    /// <summary>A chunk that is being prepared changes its name, and then is counted under the other one or not yet.</summary>
    private static long LengthOf(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }

    private static bool FlushesWrites(string folder)
    {
        string path = Path.Combine(folder, "asked");
        NativeFile.Open(path, NativeFileOptions.Create | NativeFileOptions.DataSync, out NativeFile? file)
            .Should().Be(NativeResult.Success);
        using (file)
        {
            return file!.FlushesWrites;
        }
    }
}
