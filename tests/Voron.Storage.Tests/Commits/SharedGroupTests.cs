using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>Callers who come back while the writer of the next group waits for them; the clock is asked in that wait first.</summary>
public sealed class SharedGroupTests : IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private readonly AskedClock _clock = new();
    private readonly JournalWorld _world = new();
    private readonly CommitGroupId _back;

    /// <summary>Two callers were in the last write, and one is back.</summary>
    public SharedGroupTests()
    {
        _clock.Step = 1;
        _world.Open(time: _clock).Chunks.PrepareFirst();
        _world.Seal("a", durable: true);
        _world.Journal.Complete(_world.Seal("b", durable: true), onDevice: true);
        _world.Journal.Writes.Should().Be(1);
        _back = _world.Seal("c", durable: true);
        _clock.Step = 0;
    }

    public void Dispose() => _world.Dispose();

    [Fact]
    public void Who_comes_back_meanwhile_goes_out_with_the_same_write()
    {
        CommitGroupId other = default;
        _clock.Restart(asked => other = asked == 1 ? _world.Seal("d", durable: true) : other);
        _world.Journal.Complete(_back, onDevice: true);
        _world.Journal.Complete(other, onDevice: true);
        _world.Journal.Writes.Should().Be(2);
        _world.Read().Bodies.Should().Equal("a", "b", "c", "d");
    }

    [Fact]
    public void A_write_without_the_device_waits_for_nobody()
    {
        CommitGroupId other = default;
        _clock.Restart(asked => other = asked == 1 ? _world.Seal("d", durable: true) : other);
        _world.Journal.Complete(_back, onDevice: false);
        _world.Journal.Complete(other, onDevice: true);
        _world.Journal.Writes.Should().Be(3);
    }

    [Fact]
    public void Nobody_else_starts_a_write_meanwhile()
    {
        bool? started = null;
        _clock.Restart(asked => started ??= _world.Journal.TryStart(new TransactionId(_world.NextId), [1], 0, onDevice: true));
        _world.Journal.Complete(_back, onDevice: true);
        started.Should().BeFalse();
        _world.Read().Bodies.Should().Equal("a", "b", "c");
    }

    [Fact]
    public void A_record_that_has_no_room_does_not_wait_for_others()
    {
        Thread longer = new(() => _world.Seal(new byte[70_000], durable: true));
        int before = 0;
        _clock.Restart(asked =>
        {
            if (asked == 1)
            {
                StartAndAwaitSleep(longer);
            }

            before = _world.Journal.Writes == 1 ? asked : before;
        });
        _world.Journal.Complete(_back, onDevice: true);
        before.Should().BeLessThan(5, "the clock stands still, and only the record is in a hurry");
        longer.Join(Long).Should().BeTrue();
        _world.Journal.Flush();
        _world.Read().Bodies.Select(static body => body.Length).Should().Equal(1, 1, 1, 70_000);
    }

    [Fact]
    public void What_stops_the_journal_meanwhile_is_told_to_all_and_nothing_is_written()
    {
        Exception? told = null;
        Exception? refused = null;
        Thread waiting = new(() => told = Record.Exception(() => _world.Journal.Complete(_back, onDevice: true)));
        Thread longer = new(() => refused = Record.Exception(() => _world.Seal(new byte[70_000], durable: true)));
        _clock.Restart(asked =>
        {
            if (asked == 1)
            {
                waiting.Start();
                StartAndAwaitSleep(longer);
                _world.FailStop.Poison(new InvalidDataException("a page"));
            }
        });
        Exception? mine = Record.Exception(() => _world.Journal.Complete(_back, onDevice: true));
        waiting.Join(Long).Should().BeTrue();
        longer.Join(Long).Should().BeTrue();
        mine.Should().BeOfType<CommitOutcomeUnknownException>();
        told.Should().BeOfType<CommitOutcomeUnknownException>();
        refused.Should().BeOfType<StoragePoisonedException>();
        _world.Journal.Writes.Should().Be(1);
        _world.Read().Bodies.Should().Equal("a", "b");
    }

    /// <summary>It sleeps at the journal's gate.</summary>
    private static void StartAndAwaitSleep(Thread thread)
    {
        thread.Start();
        SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, Long).Should().BeTrue();
    }
}
