using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Savepoints in transactions whose large values are in the data file before they are in a tree.</summary>
public sealed class SavepointValueTests : IDisposable
{
    private const int Least = 64 << 10;
    private const int Piece = 32 << 10;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    /// <summary>The short notes leave between the changes, so that replay has to go back as well.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(100)]
    public void What_is_undone_of_large_values_is_as_before_here_and_after_a_replay(int? fragmentBytes)
    {
        string killed = _folder.Path + "-killed";
        using (StorageEnvironment environment = Open(fragmentBytes))
        {
            Put(environment, 1, Sample.Value(Least, 1));
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                tree.Put(Sample.Key(2), Sample.Value(Least, 2));
                Savepoint savepoint = transaction.CreateSavepoint();
                tree.Delete(Sample.Key(1));
                tree.Delete(Sample.Key(2));
                tree.Put(Sample.Key(3), Sample.Value(3 * Least, 3));
                Stream(tree, 4).Complete();
                tree.Reserve(Sample.Key(5), 2 * Least).Fill(5);
                transaction.RollbackTo(savepoint);
                tree.Put(Sample.Key(6), Sample.Value(2 * Least, 6));
                transaction.Commit();
            }

            Expect(environment);
            TemporaryFolder.Copy(_folder.Path, killed);
            Put(environment, 7, Sample.Value(4 * Least, 7));
            Expect(environment);
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(killed))
        {
            Expect(replayed);
        }

        Directory.Delete(killed, recursive: true);

        static void Expect(StorageEnvironment environment)
        {
            using (ReadTransaction read = environment.BeginRead())
            {
                ReadTree tree = read.OpenTree(Sample.Tree);
                tree.Get(Sample.Key(1)).Should().Equal(Sample.Value(Least, 1));
                tree.Get(Sample.Key(2)).Should().Equal(Sample.Value(Least, 2));
                tree.Get(Sample.Key(6)).Should().Equal(Sample.Value(2 * Least, 6));
                int[] undone = [3, 4, 5];
                undone.Should().OnlyContain(i => !tree.Contains(Sample.Key(i)));
            }

            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_large_value_reserved_before_a_savepoint_stays()
    {
        using StorageEnvironment environment = Open();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.Reserve(Sample.Key(1), Least).Fill(7);
            Savepoint savepoint = transaction.CreateSavepoint();
            tree.Reserve(Sample.Key(2), Least).Fill(8);
            transaction.RollbackTo(savepoint);
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Get(Sample.Key(1)).Should().OnlyContain(b => b == 7).And.HaveCount(Least);
        read.OpenTree(Sample.Tree).Contains(Sample.Key(2)).Should().BeFalse();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_large_reservation_alone_is_a_transaction()
    {
        using StorageEnvironment environment = Open();
        Put(environment, 1, []);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).Reserve(Sample.Key(2), Least).Fill(7);
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Contains(Sample.Key(2)).Should().BeTrue();
    }

    [Fact]
    public void A_value_writer_is_ended_by_a_roll_back_and_keeps_savepoints_from_being_created()
    {
        using StorageEnvironment environment = Open();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            Savepoint savepoint = transaction.CreateSavepoint();
            PipeWriter writer = Stream(tree, 1);
            ((Action)(() => transaction.CreateSavepoint())).Should().Throw<InvalidOperationException>().WithMessage("1 value writers*");
            transaction.RollbackTo(savepoint);
            ((Action)(() => writer.GetMemory())).Should().Throw<InvalidOperationException>().WithMessage("*roll-back*");
            ((Action)(() => writer.Complete())).Should().Throw<InvalidOperationException>().WithMessage("*roll-back*");
            PipeWriter other = Stream(tree, 2);
            other.Complete();
            transaction.CreateSavepoint();
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Count.Should().Be(1);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public async Task An_action_that_leaves_a_value_writer_open_fails_alone()
    {
        using StorageEnvironment environment = Open();
        List<Task> writes = [];
        using (environment.BeginWrite())
        {
            for (int i = 0; i < 4; i++)
            {
                writes.Add(environment.WriteAsync(
                    static (transaction, i) =>
                    {
                        PipeWriter writer = Stream(transaction.OpenTree(Sample.Tree), i);
                        if (i != 2)
                        {
                            writer.Complete();
                        }
                    },
                    i).AsTask());
            }
        }

        await ((Func<Task>)(() => writes[2])).Should().ThrowAsync<InvalidOperationException>();
        await Task.WhenAll(writes[0], writes[1], writes[3]);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Count.Should().Be(3);
        environment.Check().Findings.Should().BeEmpty();
    }

    private static PipeWriter Stream(Tree tree, int number)
    {
        PipeWriter writer = tree.OpenValueWriter(Sample.Key(number));
        writer.Write(Sample.Value((3 * Piece) + 5, number));
        writer.GetSpan();
        return writer;
    }

    private static void Put(StorageEnvironment environment, int number, byte[] value)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree(Sample.Tree).Put(Sample.Key(number), value);
        transaction.Commit();
    }

    private StorageEnvironment Open(int? fragmentBytes = null) => StorageEnvironment.Open(_folder.Path, new StorageOptions
    {
        Engine = new() { ValuePieceBytes = Piece, JournalledBytes = 0, FragmentBytes = fragmentBytes },
    });
}
