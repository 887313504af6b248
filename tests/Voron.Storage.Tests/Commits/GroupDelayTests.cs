using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>How long the writer of a group waits for others to join it, by a clock that goes on when it is asked.</summary>
public sealed class GroupDelayTests : IDisposable
{
    private const int WriteTicks = 160;
    private const int QuietTicks = WriteTicks / 16;
    private const int LongestTicks = WriteTicks / 2;

    private readonly AskedClock _clock = new();
    private readonly CommitGroup _ended = new();
    private readonly CommitGroup _filling = new();
    private readonly GroupDelay _delay;

    public GroupDelayTests()
    {
        CommitLatency latency = new(_clock);
        long began = latency.Begin();
        _clock.Advance(WriteTicks);
        latency.End(began, onDevice: true, commits: 1, bytes: 4096);
        _clock.Step = 1;
        _clock.Restart();
        _delay = new GroupDelay(latency);
        _ended.Begin(1, FormatConstants.ChunkBodyOffset);
        _filling.Begin(2, FormatConstants.ChunkBodyOffset);
    }

    public void Dispose()
    {
        _ended.Dispose();
        _filling.Dispose();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public void A_caller_without_company_never_waits(int lazy)
    {
        Add(_ended, 1);
        Add(_ended, lazy, isAwaited: false);
        _delay.Ended(_ended, _filling);
        Add(_filling, 1);
        _delay.IsDue(_filling).Should().BeFalse();
    }

    [Fact]
    public void Nobody_waits_before_the_first_write_or_after_a_sync_or_with_an_empty_group()
    {
        Add(_filling, 1);
        _delay.IsDue(_filling).Should().BeFalse();
        Add(_ended, 3);
        _delay.Ended(_ended, _filling);
        _filling.Begin(3, FormatConstants.ChunkBodyOffset);
        _delay.IsDue(_filling).Should().BeFalse();
        Add(_filling, 1);
        _delay.IsDue(_filling).Should().BeTrue();
        _delay.Ended(null, _filling);
        _delay.IsDue(_filling).Should().BeFalse();
    }

    [Fact]
    public void Asynchronous_commits_do_not_count_as_callers_who_come_back()
    {
        Add(_ended, 3);
        _ended.Sources.AddRange([null!, null!]);
        _delay.Ended(_ended, _filling);
        Add(_filling, 1);
        _delay.IsDue(_filling).Should().BeFalse();
    }

    [Fact]
    public void It_ends_when_all_are_there()
    {
        Expect(4);
        _clock.Restart(_ => Add(_filling, _filling.Awaited < 4 ? 1 : 0));
        Wait();
        _clock.Asked.Should().Be(4, "one more ask saw the last of the three");
    }

    [Fact]
    public void It_ends_when_nobody_has_come_for_a_while()
    {
        Expect(4);
        _clock.Restart(asked => Add(_filling, asked == 3 ? 1 : 0));
        Wait();
        _clock.Asked.Should().Be(3 + QuietTicks + 1, "one more ask saw who came");
    }

    [Fact]
    public void It_ends_after_half_a_write_however_many_come()
    {
        Expect(1000);
        _clock.Restart(asked => Add(_filling, asked % 5 == 0 ? 1 : 0));
        Wait();
        _clock.Asked.Should().Be(LongestTicks + 1);
    }

    [Fact]
    public void It_ends_when_somebody_is_in_a_hurry()
    {
        Expect(4);
        int somebody = 1;
        _delay.Wait(_filling, in somebody);
        _clock.Asked.Should().Be(1);
    }

    [Fact]
    public void It_ends_though_the_clock_stands_still()
    {
        Expect(4);
        _clock.Step = 0;
        Wait();
        _filling.Awaited.Should().Be(1);
    }

    [Fact]
    public void What_was_in_vain_is_left_out_for_longer_and_longer_until_it_pays()
    {
        Expect(4);
        LeftOutAfterAWait().Should().Be(1);
        LeftOutAfterAWait().Should().Be(2);
        LeftOutAfterAWait().Should().Be(4);
        for (int i = 0; i < 10; i++)
        {
            LeftOutAfterAWait();
        }

        LeftOutAfterAWait().Should().Be(64);
        _clock.OnAsk = asked => Add(_filling, asked is 1 or 2 ? 1 : 0);
        LeftOutAfterAWait().Should().Be(0, "two of three came");
        _clock.OnAsk = null;
        Expect(8);
        LeftOutAfterAWait().Should().Be(1);
    }

    private static void Add(CommitGroup group, int count, bool isAwaited = true)
    {
        for (int i = 0; i < count; i++)
        {
            group.Add(new RecordHeader { Flags = RecordFlags.Commit, TransactionId = new TransactionId(1) }, [1], isAwaited);
        }
    }

    /// <summary>So many callers were in the write before, and one of them is back.</summary>
    private void Expect(int callers)
    {
        _ended.Begin(1, FormatConstants.ChunkBodyOffset);
        _filling.Begin(2, FormatConstants.ChunkBodyOffset);
        Add(_ended, callers);
        _delay.Ended(_ended, _filling);
        Add(_filling, 1);
        _delay.IsDue(_filling).Should().BeTrue();
    }

    private void Wait()
    {
        int nobody = 0;
        _delay.Wait(_filling, in nobody);
    }

    private int LeftOutAfterAWait()
    {
        _clock.Restart(_clock.OnAsk);
        Wait();
        int leftOut = 0;
        while (!_delay.IsDue(_filling))
        {
            leftOut++;
        }

        return leftOut;
    }
}
