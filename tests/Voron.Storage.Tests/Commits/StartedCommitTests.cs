using System.Text;
using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>Commits whose record is on its way while their pages are made.</summary>
public class StartedCommitTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void It_is_published_when_it_lands_and_not_before(bool durable)
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        world.Commit("a");
        Start(world, "b", durable).Should().BeTrue();
        world.Listener.Written.Should().Be(1);
        world.Journal.FinishStarted(isMade: true);
        world.Listener.Written.Should().Be(2);
        world.Listener.Durable.Should().Be(durable ? 2 : 1);
        world.Commit("c");
        world.Read().Bodies.Should().Equal("a", "b", "c");
        world.Listener.Durable.Should().Be(3);
    }

    [Fact]
    public void One_write_carries_what_was_sealed_before_and_nothing_that_is_sealed_behind_it()
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        int before = world.Disk.Writes;
        CommitGroupId a = world.Seal("a");
        Start(world, "b").Should().BeTrue();
        CommitGroupId c = world.Seal("c");
        Start(world, "d").Should().BeFalse("somebody is writing");
        world.Journal.FinishStarted(isMade: true);
        world.Journal.Complete(a, onDevice: true);
        (world.Disk.Writes - before).Should().Be(1);
        world.Listener.Durable.Should().Be(2);
        world.Journal.Complete(c, onDevice: true);
        (world.Disk.Writes - before).Should().Be(2);
        world.Read().Bodies.Should().Equal("a", "b", "c");
    }

    [Fact]
    public async Task Whoever_comes_meanwhile_waits_for_the_landing()
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        Start(world, "a").Should().BeTrue();
        CommitGroupId b = world.Seal("b");
        Task waiting = Task.Run(() => world.Journal.Complete(b, onDevice: true), TestContext.Current.CancellationToken);
        Task flushing = Task.Run(world.Journal.Flush, TestContext.Current.CancellationToken);
        waiting.IsCompleted.Should().BeFalse();
        world.Journal.FinishStarted(isMade: true);
        await waiting;
        await flushing;
        world.Read().Bodies.Should().Equal("a", "b");
    }

    [Fact]
    public void A_record_that_has_no_room_in_the_chunk_is_not_started()
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        Start(world, new string('x', 70_000)).Should().BeFalse();
        world.Commit(new string('x', 70_000));
        Start(world, "y").Should().BeTrue();
        world.Journal.FinishStarted(isMade: true);
        world.Read().Bodies.Select(body => body.Length).Should().Equal(70_000, 1);
    }

    [Theory]
    [InlineData("through")]
    [InlineData("sync")]
    public void A_failed_write_is_told_when_it_lands_and_nothing_is_published(string operation)
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        world.Commit("a", durable: operation != "sync");
        world.Disk.Fault = (call, _) => call == operation ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Start(world, "b").Should().BeTrue();
        Action land = () => world.Journal.FinishStarted(isMade: true);
        land.Should().Throw<CommitOutcomeUnknownException>().WithInnerException<StorageIOException>();
        world.Listener.Written.Should().Be(1);
        world.FailStop.IsPoisoned.Should().BeTrue();
        world.Disk.Fault = null;
        Action next = () => Start(world, "c");
        next.Should().Throw<StoragePoisonedException>();
    }

    [Fact]
    public void A_commit_whose_pages_could_not_be_made_is_on_the_device_and_not_published()
    {
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        Start(world, "a").Should().BeTrue();
        world.FailStop.Poison(new InvalidDataException("a page"));
        Action land = () => world.Journal.FinishStarted(isMade: false);
        land.Should().Throw<CommitOutcomeUnknownException>().WithInnerException<InvalidDataException>();
        world.Listener.Written.Should().Be(0);
        world.Read().Bodies.Should().Equal("a");
    }

    [Fact]
    public void A_lone_caller_looks_for_the_end_again_and_again_unless_writes_were_shared_before()
    {
        using JournalWorld world = new();
        SlowFlight flight = new();
        world.Disk.Flight = flight;
        world.Open(time: new AskedClock()).Chunks.PrepareFirst();
        Start(world, "a").Should().BeTrue();
        world.Journal.FinishStarted(isMade: true);
        flight.Asked.Should().Be(SlowFlight.Asks);
        world.Seal("b");
        world.Commit("c");
        Start(world, "d").Should().BeTrue();
        world.Journal.FinishStarted(isMade: true);
        flight.Asked.Should().Be(1, "two callers shared the write before");
        world.Read().Bodies.Should().Equal("a", "b", "c", "d");
    }

    private static bool Start(JournalWorld world, string body, bool durable = true)
    {
        bool started = world.Journal.TryStart(new TransactionId(world.NextId), Encoding.UTF8.GetBytes(body), 0, durable);
        world.NextId += started ? 1 : 0;
        return started;
    }

    /// <summary>A write that is done at once but shows its end only when it was asked for often enough.</summary>
    private sealed class SlowFlight : IWriteInFlight
    {
        internal const int Asks = 5;

        private IoError _result;

        internal int Asked { get; private set; }

        public bool HasEnded => ++Asked >= Asks;

        public void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source)
        {
            Asked = 0;
            _result = file.Write(offset, source);
        }

        public IoError Wait() => _result;

        public void Dispose()
        {
        }
    }
}
