using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>When a lone caller yields until its write has ended and when it sleeps, by a clock that advances when it is read.</summary>
public sealed class CompletionWaitTests : IDisposable
{
    private static readonly TimeSpan Fast = TimeSpan.FromMicroseconds(80);

    private readonly AskedClock _clock = new();
    private readonly Write _write = new();
    private CompletionWait _wait = null!;

    public CompletionWaitTests() => MeasureWrite(Fast);

    public void Dispose() => _write.Dispose();

    [Fact]
    public void The_caller_yields_until_the_write_has_ended()
    {
        _write.EndsAfter = 20;
        _wait.UntilEnded(_write);
        _write.Asked.Should().Be(20);
    }

    [Fact]
    public void A_write_that_has_ended_costs_nothing()
    {
        _write.EndsAfter = 1;
        _wait.UntilEnded(_write);
        _clock.Asked.Should().Be(0);
    }

    [Fact]
    public void On_a_slow_device_the_caller_sleeps()
    {
        MeasureWrite(TimeSpan.FromMicroseconds(201));
        _wait.UntilEnded(_write);
        _write.Asked.Should().Be(1);
    }

    [Fact]
    public void A_write_that_takes_long_is_slept_for_after_200_microseconds()
    {
        _wait.UntilEnded(_write);
        _clock.Asked.Should().Be(202, "once for the start, and once after each yield");
    }

    [Fact]
    public void A_clock_that_stands_still_ends_the_wait()
    {
        _clock.Step = 0;
        _wait.UntilEnded(_write);
        _write.Asked.Should().Be(1_001);
    }

    [Fact]
    public void A_yield_that_takes_long_shows_that_another_thread_needs_the_processor()
    {
        _clock.Restart(asked => _clock.Advance(asked == 5 ? Ticks(TimeSpan.FromMicroseconds(50)) : 0));
        _wait.UntilEnded(_write);
        _clock.Asked.Should().Be(5);
    }

    [Fact]
    public void Waits_that_did_not_pay_are_left_out_for_longer_and_longer_until_one_pays()
    {
        int[] leftOut = [.. Enumerable.Range(0, 9).Select(_ => LeftOutBeforeTheNext(int.MaxValue))];
        leftOut.Should().Equal(0, 1, 2, 4, 8, 16, 32, 64, 64);
        LeftOutBeforeTheNext(3).Should().Be(64);
        LeftOutBeforeTheNext(int.MaxValue).Should().Be(0);
        LeftOutBeforeTheNext(int.MaxValue).Should().Be(1);
    }

    [Fact]
    public void Callers_that_share_writes_sleep()
    {
        _wait.SkipForCompany();
        LeftOutBeforeTheNext(3).Should().Be(16);
        LeftOutBeforeTheNext(3).Should().Be(0);
    }

    private static long Ticks(TimeSpan time) => (long)(time.TotalSeconds * TimeProvider.System.TimestampFrequency);

    private void MeasureWrite(TimeSpan time)
    {
        _clock.Step = 0;
        CommitLatency latency = new(_clock);
        long began = latency.Begin();
        _clock.Advance(Ticks(time));
        latency.End(began, onDevice: true, commits: 1, bytes: 4096);
        _clock.Step = Ticks(TimeSpan.FromMicroseconds(1));
        _clock.Restart();
        _wait = new CompletionWait(latency);
    }

    /// <summary>Waits for writes until the caller yields in one, which is the last; returns how many were before it.</summary>
    private int LeftOutBeforeTheNext(int endsAfter)
    {
        _write.EndsAfter = endsAfter;
        for (int leftOut = 0; ; leftOut++)
        {
            _write.Asked = 0;
            _wait.UntilEnded(_write);
            if (_write.Asked > 1)
            {
                return leftOut;
            }
        }
    }

    private sealed class Write : IWriteInFlight
    {
        /// <summary>How often it is asked until it has ended.</summary>
        internal int EndsAfter { get; set; } = int.MaxValue;

        internal int Asked { get; set; }

        public bool HasEnded => ++Asked >= EndsAfter;

        public void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source) => throw new NotSupportedException();

        public IoError Wait() => IoError.Success;

        public void Dispose()
        {
        }
    }
}
