using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Parts of a write transaction that are undone alone; the random runs of all operations use savepoints as well.</summary>
public sealed class SavepointTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Savepoints_lie_one_within_the_other()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.Put("a"u8, "1"u8);
            Savepoint outer = transaction.CreateSavepoint();
            tree.Put("b"u8, "2"u8);
            Savepoint inner = transaction.CreateSavepoint();
            tree.Put("c"u8, "3"u8);
            tree.Delete("a"u8);
            transaction.RollbackTo(inner);
            Sample.Texts(tree.To("z"u8)).Should().Equal("a", "b");
            tree.Put("d"u8, "4"u8);
            transaction.RollbackTo(inner);
            Sample.Texts(tree.To("z"u8)).Should().Equal("a", "b");
            transaction.Release(inner);
            ((Action)(() => transaction.RollbackTo(inner))).Should().Throw<InvalidOperationException>();
            tree.Put("e"u8, "5"u8);
            transaction.RollbackTo(outer);
            Sample.Texts(tree.To("z"u8)).Should().Equal("a");
            Savepoint late = transaction.CreateSavepoint();
            tree.Put("f"u8, "6"u8);
            transaction.Release(outer);
            ((Action)(() => transaction.Release(late))).Should().Throw<InvalidOperationException>("it lay within the other");
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        Sample.Texts(read.OpenTree("t").To("z"u8)).Should().Equal("a", "f");
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Stale_and_foreign_savepoints_are_refused_and_change_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using StorageEnvironment other = StorageEnvironment.OpenInMemory();
        WriteTransaction first = environment.BeginWrite();
        Savepoint stale = first.CreateSavepoint();
        first.Dispose();
        using WriteTransaction foreign = other.BeginWrite();
        Savepoint away = foreign.CreateSavepoint();
        using WriteTransaction transaction = environment.BeginWrite();
        Savepoint own = transaction.CreateSavepoint();
        transaction.OpenTree("t").Put("k"u8, "v"u8);
        own.Should().NotBe(stale);
        foreach (Savepoint wrong in (Savepoint[])[stale, away, default])
        {
            ((Action)(() => transaction.RollbackTo(wrong))).Should().Throw<InvalidOperationException>()
                .Which.Message.Should().Contain("savepoint");
            ((Action)(() => transaction.Release(wrong))).Should().Throw<InvalidOperationException>();
        }

        transaction.Commit();
        ((Action)(() => transaction.RollbackTo(own))).Should().Throw<ObjectDisposedException>();
        ((Action)(() => transaction.CreateSavepoint())).Should().Throw<ObjectDisposedException>();
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree("t").Contains("k"u8).Should().BeTrue();
    }

    [Fact]
    public void Trees_come_and_go_with_the_savepoint_and_handles_stay_valid()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 2000);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Savepoint savepoint = transaction.CreateSavepoint();
            Tree old = transaction.OpenTree(Sample.Tree);
            Tree made = transaction.OpenTree("made");
            made.Put("k"u8, "v"u8);
            old.Delete(Sample.Key(5));
            transaction.RenameTree(Sample.Tree, "renamed");
            transaction.DropTree("renamed");
            transaction.RollbackTo(savepoint);
            transaction.TreeNames.Should().Equal(Sample.Tree);
            old.Count.Should().Be(2000);
            old.Get(Sample.Key(5)).Should().Equal(Sample.Value(20, 5));
            ((Action)(() => made.Put("k"u8, "v"u8))).Should().Throw<InvalidOperationException>();
            transaction.OpenTree("made").Count.Should().Be(0);
            old.Delete(Sample.Key(1999)).Should().BeTrue();
            transaction.Commit();
        }

        Sample.Expect(environment, 1999);
    }

    /// <summary>What left for the journal before the roll-back cannot be taken out of it: the roll-back is noted there.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_roll_back_of_more_than_a_fragment_is_replayed(bool nested)
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        }))
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                Fill(tree, 0, 40);
                Savepoint outer = transaction.CreateSavepoint();
                Fill(tree, 40, 45);
                Savepoint savepoint = nested ? transaction.CreateSavepoint() : outer;
                Fill(tree, 45, 200);
                transaction.OpenTree("undone").Put("k"u8, "v"u8);
                transaction.RollbackTo(savepoint);
                tree.Delete(Sample.Key(39));
                Fill(tree, 150, 290);
                transaction.RollbackTo(savepoint);
                if (nested)
                {
                    transaction.Release(savepoint);
                    Fill(tree, 45, 50);
                    Savepoint kept = transaction.CreateSavepoint();
                    Fill(tree, 50, 200);
                    transaction.Release(kept);
                    tree.DeleteRange(Sample.Key(50), Sample.Key(1000)).Should().Be(150);
                    transaction.Release(outer);
                }

                transaction.Commit();
            }

            environment.Database.Abandon();
        }

        using StorageEnvironment replayed = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(replayed, nested ? 50 : 40, 50_000);
        using ReadTransaction read = replayed.BeginRead();
        read.TreeNames.Should().Equal(Sample.Tree);
    }

    [Fact]
    public void A_salvage_leaves_out_what_was_undone()
    {
        using TemporaryFolder saved = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        }))
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                Fill(tree, 0, 10);
                Savepoint savepoint = transaction.CreateSavepoint();
                Fill(tree, 10, 200);
                transaction.RollbackTo(savepoint);
                Fill(tree, 10, 12);
                transaction.Commit();
            }

            environment.Database.Abandon();
        }

        SalvageReport report = StorageSalvage.Copy(_folder.Path, saved.Path);
        report.Losses.Should().BeEmpty();
        using StorageEnvironment copy = StorageEnvironment.Open(saved.Path);
        Sample.Expect(copy, 12, 50_000);
    }

    [Fact]
    public void Nothing_is_committed_when_everything_was_undone()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Savepoint savepoint = transaction.CreateSavepoint();
            transaction.OpenTree("t").Put("k"u8, "v"u8);
            transaction.RollbackTo(savepoint);
            transaction.Commit();
        }

        environment.GetReport().Commits.Should().Be(0);
        environment.GetReport().JournalBytesWritten.Should().Be(0);
    }

    /// <summary>Checkpoints move versions to the file while the transaction that has replaced them is at work.</summary>
    [Fact]
    public void Checkpoints_and_readers_beside_it_change_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions
        {
            Engine = new() { Background = false },
        });
        Sample.Put(environment, 0, 400, 3000);
        using ReadTransaction reader = environment.BeginRead();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.DeleteRange(Sample.Key(0), Sample.Key(50));
            Savepoint savepoint = transaction.CreateSavepoint();
            for (int round = 0; round < 3; round++)
            {
                tree.DeleteRange(Sample.Key(100), Sample.Key(300)).Should().Be(200);
                environment.Checkpoint();
                Fill(tree, 600, 620);
                transaction.RollbackTo(savepoint);
                environment.Checkpoint();
                tree.Count.Should().Be(350);
            }

            tree.Get(Sample.Key(200)).Should().Equal(Sample.Value(3000, 200));
            for (int i = 0; i < 50; i++)
            {
                tree.Put(Sample.Key(i), Sample.Value(3000, i));
            }

            transaction.Commit();
        }

        reader.OpenTree(Sample.Tree).Get(Sample.Key(200)).Should().Equal(Sample.Value(3000, 200));
        environment.Checkpoint();
        Sample.Expect(environment, 400, 3000);
    }

    private static void Fill(Tree tree, int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            tree.Put(Sample.Key(i), Sample.Value(50_000, i));
        }
    }
}
