using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What open readers, and those that were once open, cost the ones that begin: counted in slots, never in time.</summary>
public sealed class ReaderTableTests
{
    /// <summary>Slots of first choice: a look at them may be without use.</summary>
    private const int FirstChoices = 64;

    [Fact]
    public void A_read_begins_in_the_slot_that_was_given_back_last_however_many_are_open()
    {
        const int Open = 20_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        List<ReaderSlot> held = [.. Enumerable.Range(0, Open).Select(_ => environment.Database.BeginRead())];
        held.Distinct().Should().HaveCount(Open);
        environment.GetReport().OpenReaders.Should().Be(Open);
        ReaderSlot first = environment.Database.BeginRead();
        first.Release(first.Occupant);
        for (int i = 0; i < 100; i++)
        {
            ReaderSlot again = environment.Database.BeginRead();
            again.Should().BeSameAs(first);
            again.Release(again.Occupant);
        }

        foreach (ReaderSlot slot in held)
        {
            slot.Release(slot.Occupant);
        }

        environment.GetReport().OpenReaders.Should().Be(0);
    }

    [Fact]
    public void Readers_that_have_ended_cost_later_transactions_nothing()
    {
        const int Burst = 100_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        ReaderSlot stays = environment.Database.BeginRead();
        ReaderTable table = stays.Table;
        ReadTransaction[] burst = [.. Enumerable.Range(0, Burst).Select(_ => environment.BeginRead())];
        ReaderSlot last = environment.Database.BeginRead();
        foreach (ReadTransaction one in burst)
        {
            one.Dispose();
        }

        long before = table.SlotsLookedAt;
        const int Transactions = 10;
        for (int i = 0; i < Transactions; i++)
        {
            Sample.Put(environment, i, i + 1);
        }

        (table.SlotsLookedAt - before).Should().BeLessThanOrEqualTo(2 * Transactions * (FirstChoices + 2));
        List<TransactionId> snapshots = [];
        table.CollectSnapshots(snapshots).Should().Be(2, "the first and the last reader are there");
        last.Release(last.Occupant);
        stays.Release(stays.Occupant);
    }

    /// <summary>Transactions pay for looking through the readers; once those have ended, the next one looks at once.</summary>
    [Fact]
    public void Many_open_readers_cost_each_write_transaction_a_bounded_number_of_steps()
    {
        const int Open = 10_000;
        const int Transactions = 1_000;
        const int ReplacedPages = 16;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 1);
        ReaderTable table = environment.Database.BeginRead().Table;
        List<ReaderSlot> held = [.. table.OpenSlots()];
        held.AddRange(Enumerable.Range(0, Open).Select(_ => environment.Database.BeginRead()));
        long before = table.SlotsLookedAt;
        for (int i = 0; i < Transactions; i++)
        {
            Sample.Put(environment, i, i + 1, mode: CommitMode.Lazy);
        }

        long steps = table.SlotsLookedAt - before;
        foreach (ReaderSlot slot in held)
        {
            slot.Release(slot.Occupant);
        }

        before = table.SlotsLookedAt;
        Sample.Put(environment, 0, 1);
        steps.Should().BeGreaterThan(0, "versions are freed beside open readers too");
        steps.Should().BeLessThan((Transactions * (FirstChoices + ReplacedPages)) + (2 * Open));
        (table.SlotsLookedAt - before).Should().BeGreaterThan(0);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>A reader that has begun is found by every look until it ends.</summary>
    [Fact]
    public async Task Readers_that_come_and_go_on_many_threads_are_found_while_they_are_open()
    {
        const int Threads = 4;
        const int Rounds = 3_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 1);
        ReaderSlot any = environment.Database.BeginRead();
        ReaderTable table = any.Table;
        any.Release(any.Occupant);
        Task[] all = [.. Enumerable.Range(0, Threads).Select(thread => Task.Factory.StartNew(
            () =>
            {
                Random random = new(thread);
                Queue<(ReaderSlot Slot, long Occupant)> open = new();
                List<TransactionId> seen = [];
                for (int round = 0; round < Rounds; round++)
                {
                    ReaderSlot slot = random.Next(4) == 0 && open.TryPeek(out (ReaderSlot Slot, long Occupant) oldest)
                        ? table.Clone(oldest.Slot, oldest.Occupant)
                        : environment.Database.BeginRead();
                    open.Enqueue((slot, slot.Occupant));
                    while (open.Count > random.Next(40))
                    {
                        (ReaderSlot ended, long transaction) = open.Dequeue();
                        ended.Release(transaction);
                    }

                    if (round % 50 == 0)
                    {
                        seen.Clear();
                        table.CollectSnapshots(seen).Should().BeGreaterThanOrEqualTo(open.Count);
                        open.Should().AllSatisfy(one => seen.Should().Contain(one.Slot.Snapshot));
                        Sample.Put(environment, 0, 1, mode: CommitMode.Lazy);
                    }
                }

                foreach ((ReaderSlot slot, long transaction) in open)
                {
                    slot.Release(transaction);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default))];
        await Task.WhenAll(all).WaitAsync(TimeSpan.FromMinutes(2));
        environment.GetReport().OpenReaders.Should().Be(0);
        environment.Check().Findings.Should().BeEmpty();
    }
}
