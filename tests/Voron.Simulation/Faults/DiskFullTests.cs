using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Transactions;
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

    /// <summary>
    /// Closing on a full disk is no failure: everything is in the journal, an event says so, and the next open replays it.
    /// </summary>
    [Theory]
    [InlineData("/db/data.voron")]
    [InlineData("/db/journal/*")]
    public void At_the_closing_checkpoint_the_journal_keeps_everything(string path)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(300);
        rig.Break(SimCallKind.Allocate, path, IoErrorKind.DiskFull);
        rig.Environment.Invoking(static e => e.Dispose()).Should().NotThrow();
        StorageEvent told = rig.Events.Should().ContainSingle(each => each.Kind == StorageEventKind.ClosedWithoutCheckpoint).Which;
        told.Error.Should().BeOfType<StorageFullException>();
        told.Message.Should().Contain("Nothing is lost").And.Contain("/db");
        rig.Disk.OpenFileCount.Should().Be(0);
        rig.ExpectSafe();
        rig.Open();
        rig.ExpectHere();
        rig.Environment.Dispose();
        rig.Events.Should().ContainSingle(each => each.Kind == StorageEventKind.ClosedWithoutCheckpoint, "there was room again");
        rig.Open();
        rig.Environment.GetReport().CheckpointTransactionId.Should().Be(1);
    }

    /// <summary>
    /// Every call that takes space is refused in its turn, in a run that goes over chunks, grows the file, holds a reader so that pages
    /// are deferred, and lets it go. Nothing stops for good: after each refusal there is room again and the same environment goes on.
    /// </summary>
    [Fact]
    public void At_every_step_the_environment_goes_on_by_itself_when_there_is_room()
    {
        int refused = 0;
        for (int call = 1; ; call++)
        {
            using FaultRig rig = new FaultRig().Open();
            SimFault fault = rig.Break(SimCallKind.Allocate, "*", IoErrorKind.DiskFull, from: call, times: 3);
            int met = PlayThroughRefusals(rig);
            rig.ExpectHere();
            rig.ExpectSafe();
            if (!fault.WasMet)
            {
                break;
            }

            refused += met;
        }

        refused.Should().BeGreaterThan(8);
    }

    /// <summary>The disk has so much room and no more, for every amount there is; then it has room, and everything goes on.</summary>
    [Fact]
    public void At_every_amount_of_room_the_environment_goes_on_by_itself()
    {
        int refused = 0;
        long all = 0;
        for (long room = 0; all == 0 || room < all; room += 5 * 4096)
        {
            using FaultRig rig = new FaultRig().Open();
            long used = rig.Disk.UsedBytes;
            rig.Disk.CapacityBytes = all == 0 ? long.MaxValue : used + room;
            refused += PlayThroughRefusals(rig);
            if (all == 0)
            {
                all = rig.Disk.UsedBytes - used;
            }

            rig.ExpectHere();
            rig.ExpectSafe();
        }

        refused.Should().BeGreaterThan(20);
    }

    /// <summary>Spare chunks are room that a database has and does not need at once.</summary>
    [Fact]
    public async Task What_the_journal_keeps_for_later_gives_up_its_room()
    {
        using FaultRig rig = new();
        rig.Open(new StorageOptions
        {
            Engine = new() { Disk = rig.Disk, Background = false, JournalledBytes = 0 },
            OnEvent = rig.Events.Add, PageSize = 4096, JournalSoftLimitBytes = 64 << 10, KeepChangesBytes = 1 << 30,
        });
        for (int i = 0; i < 80; i++)
        {
            rig.Commit(100);
        }

        // The last chunks stay, as they do while a load goes on, and those before them become spares.
        await rig.Environment.KeepChangesFromAsync("consumer", rig.Environment.GetReport().LastTransactionId - 30);
        rig.Environment.Checkpoint();
        int spares = CountSpares(rig);
        spares.Should().BeGreaterThan(8);
        rig.Disk.CapacityBytes = rig.Disk.UsedBytes;
        long bytes = rig.Environment.GetReport().DataFileBytes;
        rig.Commit(1000);
        rig.Environment.Checkpoint();
        rig.Environment.GetReport().DataFileBytes.Should().BeGreaterThan(bytes);
        CountSpares(rig).Should().BeLessThan(spares);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    private static int CountSpares(FaultRig rig)
    {
        List<string> names = [];
        rig.Disk.ListFiles("/db/journal", names);
        return names.Count(static name => name.StartsWith("spare", StringComparison.Ordinal));
    }

    /// <summary>A write into a place that no checkpoint reaches yet may find the disk full, on file systems that copy on write.</summary>
    [Fact]
    public void When_a_fresh_page_finds_no_room_the_next_checkpoint_succeeds()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(300);
        rig.Break(SimCallKind.Write, "/db/data.voron", IoErrorKind.DiskFull, times: 2);
        Action checkpoint = () => rig.Environment.Checkpoint();
        checkpoint.Should().Throw<StorageFullException>();
        rig.Commit();
        checkpoint.Should().Throw<StorageFullException>();
        checkpoint.Should().NotThrow();
        rig.Commit();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    /// <summary>A refused checkpoint leaves no chunk behind, however often it is tried.</summary>
    [Fact]
    public void A_checkpoint_that_is_refused_again_and_again_takes_no_more_room()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(2000);
        rig.Environment.Checkpoint();
        rig.Commit(1);
        using ReadTransaction reader = rig.Environment.BeginRead();
        rig.Rewrite();
        rig.Disk.CapacityBytes = rig.Disk.UsedBytes + (80 << 10);
        Action checkpoint = () => rig.Environment.Checkpoint();
        checkpoint.Should().Throw<StorageFullException>();
        long used = rig.Disk.UsedBytes;
        for (int i = 0; i < 5; i++)
        {
            checkpoint.Should().Throw<StorageFullException>();
            rig.Disk.UsedBytes.Should().Be(used);
        }

        rig.Heal();
        checkpoint.Should().NotThrow();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    /// <summary>How many calls were refused. Each is made again once there is room.</summary>
    private static int PlayThroughRefusals(FaultRig rig)
    {
        ReadTransaction? reader = null;
        Action[] steps =
        [
            () => rig.Commit(150), () => rig.Environment.Checkpoint(), () => reader = rig.Environment.BeginRead(),
            () => rig.Commit(150), rig.Rewrite, () => rig.Environment.Checkpoint(), rig.Rewrite, () => rig.Commit(300),
            () => rig.Environment.Checkpoint(), () => reader!.Value.Dispose(), () => rig.Commit(20), () => rig.Environment.Checkpoint(),
        ];
        return RefusedSteps.PlayThrough(steps, (attempt, _) =>
        {
            rig.ExpectHere();
            rig.Disk.CapacityBytes = attempt > 0 ? long.MaxValue : rig.Disk.CapacityBytes;
        });
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
                    tree.Put(NumberedRows.Key(i), new byte[60_000]);
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
