using FluentAssertions;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Threads;

/// <summary>What a caller does before it queues for the writer lock.</summary>
public sealed class WriterLockSpinTests
{
    [Fact]
    public void A_caller_whose_yields_take_long_queues_and_is_seen_from_its_first_spin_on()
    {
        SlowTime time = new();
        WriterLock writerLock = new(time);
        time.Asked = () => time.SeenWaiting |= time.Times == 0 && writerLock.HasWaiters;
        writerLock.TryEnter(TimeSpan.Zero).Should().BeTrue();
        writerLock.TryEnter(TimeSpan.FromTicks(1)).Should().BeFalse("the lock is held");
        time.Times.Should().BeLessThan(10, "a spin that takes a millisecond is the last one");
        time.SeenWaiting.Should().BeTrue("background work lets it go first");
        writerLock.HasWaiters.Should().BeFalse();
        writerLock.Exit();
    }

    /// <summary>A clock that is a millisecond later each time.</summary>
    private sealed class SlowTime : TimeProvider
    {
        internal Action? Asked { get; set; }

        internal int Times { get; private set; }

        internal bool SeenWaiting { get; set; }

        public override long TimestampFrequency => 1_000_000;

        public override long GetTimestamp()
        {
            Asked?.Invoke();
            return ++Times * 1_000L;
        }
    }
}
