using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Transactions that are much larger than the memory they may use.</summary>
public class HugeTransactionTests
{
    private const int Keys = 60_000;

    private static StorageOptions Options => new()
    {
        Engine = new() { Background = false },
        MaxDirtyBytes = 1 << 20, JournalSoftLimitBytes = 1 << 20,
    };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_transaction_beyond_its_memory_commits_and_survives(bool isKilled)
    {
        using TemporaryFolder folder = new();
        StorageEnvironment environment = StorageEnvironment.Open(folder.Path, Options);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            PutAll(transaction.OpenTree(Sample.Tree), seed: 1);
            environment.GetReport().SpillBytes.Should().BePositive();
            Directory.GetFiles(folder.Path).Should().NotContain(file => file.EndsWith(".spill"), "a spill file has no name");
            transaction.OpenTree(Sample.Tree).TryGet(Sample.Key(7), out _).Should().BeTrue("spilled pages are read like others");
            transaction.Commit();
        }

        Expect(environment, seed: 1);
        if (isKilled)
        {
            environment.Database.Abandon();
            environment = StorageEnvironment.Open(folder.Path, Options);
            environment.GetReport().SpillBytes.Should().BePositive("recovery keeps to the same limit");
            Expect(environment, seed: 1);
        }

        environment.Checkpoint();
        environment.GetReport().SpillBytes.Should().Be(0, "a checkpoint leaves nothing in it");
        Expect(environment, seed: 1);
        environment.Dispose();
        using StorageEnvironment again = StorageEnvironment.Open(folder.Path, Options);
        Expect(again, seed: 1);
        again.Check().IsClean.Should().BeTrue();
    }

    [Fact]
    public void A_rollback_after_spilling_takes_everything_back()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, Options);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            PutAll(transaction.OpenTree(Sample.Tree), seed: 1);
            transaction.Commit();
        }

        environment.Checkpoint();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            PutAll(transaction.OpenTree(Sample.Tree), seed: 2);
            transaction.DropTree(Sample.Tree).Should().BeTrue();
            environment.GetReport().SpillBytes.Should().BePositive();
        }

        Expect(environment, seed: 1);
        Sample.Put(environment, 0, 1, valueBytes: Length(0));
        environment.Checkpoint();
        environment.GetReport().SpillBytes.Should().Be(0);
        environment.Check().IsClean.Should().BeTrue();
    }

    /// <summary>What it left in the journal holds nothing that counts, in lives with commits and in those without.</summary>
    [Fact]
    public void A_clean_close_takes_back_the_chunks_of_a_long_transaction_that_was_rolled_back()
    {
        const int Keys = 3000;
        using TemporaryFolder folder = new();
        StorageOptions options = new()
        {
            Engine = new() { Background = false },
            MaxDirtyBytes = 4 << 20, JournalSoftLimitBytes = 1 << 20, JournalHardLimitBytes = 1L << 30,
        };
        for (int life = 0; life < 4; life++)
        {
            using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options))
            {
                if (life < 2)
                {
                    Sample.Put(environment, 0, life + 1);
                }

                using (WriteTransaction huge = environment.BeginWrite())
                {
                    Tree tree = huge.OpenTree(Sample.Tree);
                    for (int i = 0; i < Keys; i++)
                    {
                        tree.Put(Sample.Key(100 + i), Sample.Value(2000, i));
                    }
                }

                Chunks(folder).Length.Should().BeGreaterThan(12, "it left in fragments");
                if (life % 2 == 1)
                {
                    environment.Checkpoint();
                }
            }

            Chunks(folder).Length.Should().BeLessThanOrEqualTo(3, "life {0}", life);
            using StorageEnvironment again = StorageEnvironment.Open(folder.Path, options);
            Sample.Expect(again, Math.Min(life + 1, 2));
        }

        static string[] Chunks(TemporaryFolder folder) => Directory.GetFiles(Path.Combine(folder.Path, "journal"), "*.commit");
    }

    [Fact]
    public void A_snapshot_from_before_and_one_from_within_keep_what_they_saw()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, Options);
        for (int seed = 1; seed <= 3; seed++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            PutAll(transaction.OpenTree(Sample.Tree), seed);
            transaction.Commit();
        }

        using ReadTransaction before = environment.BeginRead();
        for (int seed = 4; seed <= 8; seed++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            PutAll(transaction.OpenTree(Sample.Tree), seed);
            transaction.Commit();
            environment.Checkpoint();
        }

        Expect(before, seed: 3);
        Expect(environment, seed: 8);
        before.Dispose();
        environment.Checkpoint();
        Sample.Put(environment, 0, 1);
        environment.Checkpoint();
        environment.GetReport().SpillBytes.Should().Be(0, "nobody is left who needs it");
        environment.Check().IsClean.Should().BeTrue();
    }

    [Fact]
    public void Large_values_and_a_drop_spill_as_well()
    {
        using TemporaryFolder folder = new();
        StorageOptions options = new()
        {
            Engine = new() { Background = false, PlacedValueBytes = int.MaxValue },
            MaxDirtyBytes = 1 << 20, JournalSoftLimitBytes = 1 << 20,
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        Sample.Put(environment, 0, 40, valueBytes: 200_000);
        environment.GetReport().SpillBytes.Should().BePositive();
        Sample.Expect(environment, 40, valueBytes: 200_000);
        environment.Checkpoint();
        environment.GetReport().SpillBytes.Should().Be(0);
        Sample.Expect(environment, 40, valueBytes: 200_000);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.DropTree(Sample.Tree).Should().BeTrue();
            transaction.Commit();
        }

        environment.Checkpoint();
        environment.Check().IsClean.Should().BeTrue();
    }

    private static int Length(int key) => 20 + (key % 60);

    private static void PutAll(Tree tree, int seed)
    {
        // A fixed walk over all keys in no order.
        for (int i = 0, key = 0; i < Keys; i++, key = (key + 25_409) % Keys)
        {
            tree.Put(Sample.Key(key), Sample.Value(Length(key), (seed * 1_000_003) + key));
        }
    }

    private static void Expect(StorageEnvironment environment, int seed)
    {
        using ReadTransaction read = environment.BeginRead();
        Expect(read, seed);
    }

    private static void Expect(ReadTransaction read, int seed)
    {
        read.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        tree.Count.Should().Be(Keys);
        int next = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            if (!key.SequenceEqual(Sample.Key(next)) || !value.SequenceEqual(Sample.Value(Length(next), (seed * 1_000_003) + next)))
            {
                throw new InvalidDataException($"Entry {next} is not what was put.");
            }

            next++;
        }

        next.Should().Be(Keys);
    }
}
