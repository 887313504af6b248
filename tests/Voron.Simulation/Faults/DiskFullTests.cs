using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Platform;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>
/// A disk without room: a typed error that says so, nothing acknowledged lost, and the environment goes on when there is room again.
/// </summary>
public class DiskFullTests
{
    [Fact]
    public void At_creation_whatever_the_room_is()
    {
        for (long capacity = 0; capacity < 400 << 10; capacity += 4096)
        {
            using FaultRig rig = new();
            rig.Disk.CapacityBytes = capacity;
            try
            {
                rig.Open();
                rig.Commit();
                break;
            }
            catch (StorageFullException error)
            {
                error.Message.Should().Contain("/db").And.Contain("Make room");
            }

            rig.Disk.OpenFileCount.Should().Be(rig.Environment is null ? 0 : rig.Disk.OpenFileCount, "a failed open closes what it opened");
            rig.Heal();
            if (rig.Environment is null)
            {
                rig.Open();
            }

            rig.Commit();
            rig.ExpectHere();
            rig.ExpectSafe();
        }
    }

    [Fact]
    public void When_a_commit_needs_a_new_chunk_the_transaction_stays_open_and_commits_later()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Disk.CapacityBytes = rig.Disk.UsedBytes;
        WriteTransaction? open = null;
        for (int i = 0; i < 40 && open is null; i++)
        {
            WriteTransaction transaction = rig.Environment.BeginWrite();
            rig.Put(transaction, 20);
            try
            {
                transaction.Commit();
                rig.Acknowledge(20);
            }
            catch (StorageFullException error)
            {
                error.Message.Should().Contain("journal").And.Contain("Make room");
                open = transaction;
            }
        }

        open.Should().NotBeNull("the chunk has an end");
        rig.ExpectHere();
        Action again = () => open!.Value.Commit();
        again.Should().Throw<StorageFullException>("it is still full");
        rig.Disk.CapacityBytes = long.MaxValue;
        open!.Value.Commit();
        rig.Acknowledge(20);
        rig.Commit();
        rig.ExpectHere();
        rig.Environment.Checkpoint();
        rig.ExpectSafe();
    }

    [Fact]
    public void When_a_commit_needs_a_new_chunk_the_transaction_can_be_given_up()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Break(SimCallKind.Allocate, "/db/journal/*", IoErrorKind.DiskFull);
        Action fill = () =>
        {
            while (true)
            {
                rig.Commit();
            }
        };
        fill.Should().Throw<StorageFullException>();
        rig.ExpectHere();
        rig.Heal();
        rig.Commit();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Theory]
    [InlineData("/db/data.voron")]
    [InlineData("/db/journal/*")]
    public void When_a_checkpoint_needs_room_it_fails_and_the_next_one_succeeds(string path)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(300);
        rig.Break(SimCallKind.Allocate, path, IoErrorKind.DiskFull);
        Action checkpoint = () => rig.Environment.Checkpoint();
        StorageFullException error = checkpoint.Should().Throw<StorageFullException>().Which;
        error.Message.Should().Contain(path.TrimEnd('*')).And.Contain("Make room");
        rig.Commit();
        checkpoint.Should().Throw<StorageFullException>();
        rig.ExpectHere();
        rig.Heal();
        checkpoint.Should().NotThrow();
        rig.Environment.GetReport().CheckpointTransactionId.Should().Be(2);
        rig.Commit();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void At_the_closing_checkpoint_the_journal_keeps_everything()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(300);
        rig.Break(SimCallKind.Allocate, "/db/data.voron", IoErrorKind.DiskFull);
        Action dispose = rig.Environment.Dispose;
        dispose.Should().Throw<StorageFullException>();
        dispose.Should().NotThrow("it is closed");
        rig.Disk.OpenFileCount.Should().Be(0);
        rig.Heal();
        rig.Open();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void A_long_transaction_that_meets_it_half_way_is_poisoned_and_leaves_nothing()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Break(SimCallKind.Allocate, "/db/journal/*", IoErrorKind.DiskFull);
        using (WriteTransaction transaction = rig.Environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            Action fill = () =>
            {
                for (int i = 1000; ; i++)
                {
                    tree.Put(FaultRig.Key(i), new byte[60_000]);
                }
            };
            fill.Should().Throw<StorageFullException>();
            Action[] uses =
            [
                () => tree.Put("k"u8, "v"u8), () => tree.Delete("k"u8), () => transaction.Commit(), () => transaction.DropTree("t"),
            ];
            foreach (Action use in uses)
            {
                TransactionPoisonedException error = use.Should().Throw<TransactionPoisonedException>().Which;
                error.InnerException.Should().BeOfType<StorageFullException>();
                error.Message.Should().Contain("Dispose it and begin again").And.Contain("disk is full");
            }
        }

        rig.Heal();
        rig.ExpectHere();
        rig.Commit();
        rig.ExpectHere();
        rig.ExpectSafe();
    }
}
