using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>A second transaction at the same snapshot, and a transaction that goes on to a newer one.</summary>
public sealed class CloneAndRenewTests
{
    [Fact]
    public void A_clone_keeps_the_snapshot_when_the_original_has_ended()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 50);
        ReadTransaction original = environment.BeginRead();
        using ReadTransaction clone = original.Clone();
        clone.Should().NotBe(original);
        clone.TransactionId.Should().Be(original.TransactionId);
        environment.GetReport().OpenReaders.Should().Be(2);
        original.Dispose();
        for (int i = 0; i < 20; i++)
        {
            Sample.Put(environment, 0, 50, 30 + i);
            environment.Checkpoint();
        }

        ReadTree tree = clone.OpenTree(Sample.Tree);
        tree.Get(Sample.Key(7)).Should().Equal(Sample.Value(20, 7));
        ((Action)(() => original.Clone())).Should().Throw<ObjectDisposedException>();
        ((Action)(() => default(ReadTransaction).Clone())).Should().Throw<ObjectDisposedException>();
        environment.GetReport().OpenReaders.Should().Be(1);
    }

    [Fact]
    public void Renewing_moves_the_transaction_and_makes_its_trees_stale()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 3);
        ReadTransaction read = environment.BeginRead();
        ReadTree old = read.OpenTree(Sample.Tree);
        Sample.Put(environment, 3, 5);
        old.Count.Should().Be(3);
        read.Renew().Should().Be(read, "it is the same transaction");
        read.TransactionId.Should().Be(2);
        ((Action)(() => old.Contains(Sample.Key(0)))).Should().Throw<ObjectDisposedException>();
        read.OpenTree(Sample.Tree).Count.Should().Be(5);
        environment.GetReport().OpenReaders.Should().Be(1);
        read.Dispose();
        ((Action)(() => read.Renew())).Should().Throw<ObjectDisposedException>();
        environment.GetReport().OpenReaders.Should().Be(0);
    }

    /// <summary>A slot serves one transaction after another; what is left of an earlier one notices.</summary>
    [Fact]
    public void Handles_of_an_ended_transaction_never_reach_the_next_one_in_its_slot()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 3);
        ReadTransaction first = environment.BeginRead();
        ReadTree tree = first.OpenTree(Sample.Tree);
        first.Dispose();
        using ReadTransaction second = environment.BeginRead();
        second.Should().NotBe(first);
        first.Dispose();
        second.OpenTree(Sample.Tree).Count.Should().Be(3, "the second end of the first transaction ended nothing");
        ((Action)(() => tree.Contains(Sample.Key(0)))).Should().Throw<ObjectDisposedException>();
        ((Action)(() => _ = first.TransactionId)).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void Beginning_renewing_cloning_and_ending_allocate_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 3);
        Allocations.Least(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                using ReadTransaction read = environment.BeginRead();
                using ReadTransaction clone = read.Renew().Clone();
                clone.OpenTree(Sample.Tree);
            }
        }).Should().Be(0);
    }

    /// <summary>
    /// Snapshots pass from one transaction to its clone while writers replace all they show: were one missed by who frees versions, the
    /// clone would show something else.
    /// </summary>
    [Fact]
    public async Task Snapshots_are_kept_while_they_pass_from_hand_to_hand()
    {
        const int Passes = 2_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 20);
        bool stop = false;
        Task writing = Task.Run(
            () =>
            {
                for (int round = 0; !Volatile.Read(ref stop); round++)
                {
                    Sample.Put(environment, 0, 20, 20 + (round % 50), CommitMode.Buffered);
                }
            },
            TestContext.Current.CancellationToken);
        ReadTransaction read = environment.BeginRead();
        for (int pass = 0; pass < Passes; pass++)
        {
            ReadTransaction next = read.Clone();
            read.Dispose();
            read = pass % 50 == 49 ? next.Renew() : next;
            ReadTree tree = read.OpenTree(Sample.Tree);
            int length = tree.Get(Sample.Key(0))!.Length;
            tree.Get(Sample.Key(19))!.Length.Should().Be(length, "all values of a snapshot have one length");
        }

        read.Dispose();
        Volatile.Write(ref stop, true);
        await writing;
        environment.Check().Findings.Should().BeEmpty();
    }
}
