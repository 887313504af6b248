using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Values of several pages that are deleted while a checkpoint brings them to the data file: as long as a reader can see one, all of its
/// pages stay what they are.
/// </summary>
public sealed class FreedRunTests
{
    private const int PageBytes = 4096;
    private static readonly byte[] RunValue = Sample.Value(PageBytes * 5, 7);

    [Fact]
    public void A_checkpoint_before_a_roll_back_to_a_savepoint_does_not_give_its_pages_away()
    {
        using StorageEnvironment environment = Open();
        PutValue(environment);
        using ReadTransaction reader = environment.BeginRead();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).Delete("run"u8);
            Savepoint savepoint = transaction.CreateSavepoint();

            // Nodes take the value's pages, the value goes to the file, the nodes are undone.
            Fill(transaction);
            environment.Checkpoint();
            transaction.RollbackTo(savepoint);
            transaction.Commit();
        }

        FillAndCheckpoint(environment);
        reader.OpenTree(Sample.Tree).Get("run"u8).Should().Equal(RunValue);
        environment.Check().IsClean.Should().BeTrue();
    }

    /// <summary>When nobody reads it at the moment, readers to come may: the transaction that deleted it is not published.</summary>
    [Fact]
    public async Task It_is_there_for_a_reader_that_begins_before_the_deletion_is_published()
    {
        using WatchedDisk disk = new();
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        using StorageEnvironment environment = Open(disk);
        PutValue(environment);
        Task deletion;
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).Delete("run"u8);
            transaction.OpenTree(Sample.Tree).Count.Should().Be(0);
            environment.Checkpoint();
            disk.OnCommitWrite = () =>
            {
                entered.Set();
                release.Wait(TestContext.Current.CancellationToken);
                return IoError.Success;
            };
            deletion = transaction.CommitAsync(cancellationToken: TestContext.Current.CancellationToken).AsTask();
        }

        entered.Wait(TestContext.Current.CancellationToken);
        environment.BeginWrite().Dispose();
        using ReadTransaction reader = environment.BeginRead();
        release.Set();
        await deletion;
        FillAndCheckpoint(environment);
        reader.OpenTree(Sample.Tree).Get("run"u8).Should().Equal(RunValue);
        environment.Check().IsClean.Should().BeTrue();
    }

    [Fact]
    public void A_roll_back_of_its_deletion_keeps_nothing_for_it()
    {
        using StorageEnvironment environment = Open();
        PutValue(environment);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).Delete("run"u8);
            transaction.OpenTree(Sample.Tree).Count.Should().Be(0);
            environment.Checkpoint();
        }

        environment.BeginWrite().Dispose();
        environment.GetReport().RetainedVersions.Should().Be(0);
        using ReadTransaction reader = environment.BeginRead();
        reader.OpenTree(Sample.Tree).Get("run"u8).Should().Equal(RunValue);
    }

    private static StorageEnvironment Open(WatchedDisk? disk = null)
    {
        StorageOptions options = new()
        {
            Engine = new() { Disk = disk, Background = false },
            PageSize = PageBytes, DisposeTimeout = Timeout.InfiniteTimeSpan,
        };
        return disk is null ? StorageEnvironment.OpenInMemory(options) : StorageEnvironment.Open("/db", options);
    }

    private static void PutValue(StorageEnvironment environment)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree(Sample.Tree).Put("run"u8, RunValue);
        transaction.OpenTree("others");
        transaction.Commit();
    }

    /// <summary>Takes all pages that are free, and writes them.</summary>
    private static void FillAndCheckpoint(StorageEnvironment environment)
    {
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Fill(transaction);
            transaction.Commit();
        }

        environment.Checkpoint();
    }

    private static void Fill(WriteTransaction transaction)
    {
        Tree others = transaction.OpenTree("others");
        for (int i = 0; i < 200; i++)
        {
            others.Put(Sample.Key(i), Sample.Value(PageBytes / 8, i));
        }

        others.Count.Should().Be(200);
    }
}
