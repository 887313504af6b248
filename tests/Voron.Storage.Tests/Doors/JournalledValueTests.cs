using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Large values that go through the journal, because their transaction is short.</summary>
public sealed class JournalledValueTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    /// <summary>
    /// A short transaction waits for the device once: its values are in its record. One that is longer, or has placed a value before,
    /// places them.
    /// </summary>
    [Fact]
    public void Large_values_of_a_short_transaction_go_through_the_journal_and_the_others_do_not()
    {
        using StorageEnvironment environment = Open(new() { Background = false });
        Sample.Put(environment, 0, 1);
        environment.Checkpoint();
        long file = environment.GetReport().DataFileBytes;
        Journalled(environment, 0, [256 << 10, 200 << 10]).Should().BeInRange(456 << 10, 480 << 10);
        environment.GetReport().DataFileBytes.Should().Be(file, "nothing was placed");
        Journalled(environment, 10, [512 << 10]).Should().BeLessThan(16 << 10, "the record would be longer than that");
        Journalled(environment, 20, [256 << 10, 200 << 10, 100 << 10]).Should().BeInRange(456 << 10, 480 << 10, "the last one is placed");
        Journalled(environment, 30, [600 << 10, 64 << 10, (64 << 10) - 1]).Should().BeInRange(64 << 10, 80 << 10);
        environment.Check().Findings.Should().BeEmpty();

        static long Journalled(StorageEnvironment environment, int first, int[] lengths)
        {
            long before = environment.GetReport().JournalBytesWritten;
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                for (int i = 0; i < lengths.Length; i++)
                {
                    transaction.OpenTree(Sample.Tree).Put(Sample.Key(first + i), Sample.Value(lengths[i], i));
                }

                transaction.Commit();
            }

            using ReadTransaction read = environment.BeginRead();
            for (int i = 0; i < lengths.Length; i++)
            {
                read.OpenTree(Sample.Tree).Get(Sample.Key(first + i)).Should().Equal(Sample.Value(lengths[i], i));
            }

            return environment.GetReport().JournalBytesWritten - before;
        }
    }

    /// <summary>After a fragment the redo is short again, and the transaction is long all the same.</summary>
    [Fact]
    public void A_transaction_that_has_sent_a_fragment_places_its_large_values()
    {
        using StorageEnvironment environment = Open(new() { Background = false, FragmentBytes = 256 << 10 });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        for (int i = 0; i < 300; i++)
        {
            tree.Put(Sample.Key(i), Sample.Value(1000, i));
        }

        tree.Put(Sample.Key(300), Sample.Value(100_000, 300));
        transaction.Commit();
        environment.GetReport().JournalBytesWritten.Should().BeInRange(300_000, 360_000, "all but the large value is there");
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Get(Sample.Key(300)).Should().Equal(Sample.Value(100_000, 300));
    }

    /// <summary>They are in the record alone: a process that dies before the checkpoint loses none, and replaced ones are gone.</summary>
    [Fact]
    public void They_are_replayed_from_the_journal_and_their_pages_are_used_again()
    {
        StorageEnvironment killed = Open(new() { Background = false });
        for (int i = 0; i < 12; i++)
        {
            Sample.Put(killed, 0, 3, valueBytes: 100_000 + i);
            if (i == 5)
            {
                killed.Checkpoint();
            }
        }

        killed.Database.Abandon();
        using StorageEnvironment environment = Open(new() { Background = false });
        Sample.Expect(environment, 3, 100_011);
        environment.Checkpoint();
        environment.Checkpoint();
        Sample.Expect(environment, 3, 100_011);
        environment.GetReport().DataFileBytes.Should().BeLessThan(3 << 20);
    }

    private StorageEnvironment Open(EngineSettings settings) =>
        StorageEnvironment.Open(_folder.Path, new StorageOptions { Engine = settings });
}
