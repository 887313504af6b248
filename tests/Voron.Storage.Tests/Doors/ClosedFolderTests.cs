using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What a clean close leaves in the journal, and what it says of itself meanwhile.</summary>
public class ClosedFolderTests
{
    private const int Rows = 100_000;
    private const int PutsPerTransaction = 1_000;

    /// <summary>One commit chunk and one page chunk of the least length, and the second length of a page chunk.</summary>
    private const long MostJournalBytes = (64 + 256) << 10;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_journal_of_a_closed_database_is_small(bool overwrites)
    {
        using TemporaryFolder folder = new();
        List<string> refusals = [];
        StorageOptions options = new()
        {
            OnEvent = told => refusals.AddRange(told.Kind == StorageEventKind.FileNotRemoved ? [told.Message] : []),
        };
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options))
        {
            PutAll(environment, round: 0);
            if (overwrites)
            {
                environment.Checkpoint();
                PutAll(environment, round: 1);
            }
        }

        refusals.Should().BeEmpty();
        for (int open = 0; open < 3; open++)
        {
            long bytes = JournalBytesIn(folder.Path);
            bytes.Should().BeInRange(1, MostJournalBytes, "after {0} further opens", open);
            using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
            environment.GetReport().LastTransactionId.Should().BeGreaterThanOrEqualTo(Rows / PutsPerTransaction);
            Rounds.Expect(environment, Rows, overwrites ? 1 : 0);
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_close_right_after_a_checkpoint_leaves_as_little()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            PutAll(environment, round: 0);
            environment.Checkpoint();
            PutAll(environment, round: 1);
            environment.Checkpoint();
        }

        JournalBytesIn(folder.Path).Should().BeInRange(1, MostJournalBytes);
        using StorageEnvironment again = StorageEnvironment.Open(folder.Path, new StorageOptions { ReadOnly = true });
        Rounds.Expect(again, Rows, 1);
    }

    [Fact]
    public void A_close_reports_how_far_its_checkpoint_has_come()
    {
        using TemporaryFolder folder = new();
        Recorder recorder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { Observer = recorder }))
        {
            PutAll(environment, round: 0);
            environment.Checkpoint();
            recorder.Progress.Should().BeEmpty("nothing is being closed");
            PutAll(environment, round: 1);
        }

        recorder.Progress.Should().NotBeEmpty().And.BeInAscendingOrder(static progress => progress.BytesWritten);
        recorder.Progress.Select(static progress => progress.Bytes).Distinct().Should().ContainSingle();
        recorder.Progress[^1].BytesWritten.Should().Be(recorder.Progress[^1].Bytes);
    }

    [Fact]
    public void An_observer_that_throws_does_not_hinder_the_close()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(
            folder.Path, new StorageOptions { Observer = new Recorder { Throws = true } }))
        {
            Sample.Put(environment, 0, 1_000);
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        Sample.Expect(again, 1_000);
    }

    private static void PutAll(StorageEnvironment environment, int round)
    {
        for (int from = 0; from < Rows; from += PutsPerTransaction)
        {
            Rounds.Overwrite(environment, from, from + PutsPerTransaction, round);
        }
    }

    /// <summary>Not counted: files that are deleted already, which Windows shows under another name until the process ends.</summary>
    private static long JournalBytesIn(string folder) => new DirectoryInfo(Path.Combine(folder, "journal")).EnumerateFiles()
        .Where(static file => !file.Name.StartsWith("deleted-", StringComparison.Ordinal)).Sum(static file => file.Length);

    private sealed class Recorder : StorageObserver
    {
        internal List<ClosingProgress> Progress { get; } = [];

        internal bool Throws { get; init; }

        public override void Closing(in ClosingProgress progress)
        {
            Progress.Add(progress);
            if (Throws)
            {
                throw new InvalidOperationException("not your trouble");
            }
        }
    }
}
