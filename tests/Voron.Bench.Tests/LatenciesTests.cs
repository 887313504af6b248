using System.Diagnostics;
using FluentAssertions;
using Voron.Bench.Load;
using Xunit;

namespace Voron.Bench.Tests;

public class LatenciesTests
{
    private static readonly long Millisecond = Stopwatch.Frequency / 1000;

    [Fact]
    public void Shares_are_of_the_sorted_durations()
    {
        Latencies latencies = new(100);
        for (int i = 100; i >= 1; i--)
        {
            latencies.Add(0, i * Millisecond);
        }

        latencies.Microseconds(0.5).Should().BeApproximately(51_000, 1);
        latencies.Microseconds(0.99).Should().BeApproximately(100_000, 1);
        latencies.Microseconds(0).Should().BeApproximately(1_000, 1);
        latencies.Microseconds(1).Should().BeApproximately(100_000, 1);
    }

    [Fact]
    public void Nothing_took_no_time() => new Latencies(4).Microseconds(0.99).Should().Be(0);

    [Fact]
    public void Those_of_several_threads_are_put_together()
    {
        Latencies[] parts = [new(3), new(3)];
        parts[0].Add(0, Millisecond);
        parts[1].Add(0, 3 * Millisecond);
        parts[1].Add(0, 2 * Millisecond);
        Latencies all = Latencies.Together(parts);
        all.Microseconds(0.5).Should().BeApproximately(2_000, 1);
        all.Microseconds(1).Should().BeApproximately(3_000, 1);
    }

    /// <summary>
    /// 1,000 a second, each 0.1 ms, one of them stalls for 100 ms: the calls alone show one slow one, the schedule about 110.
    /// </summary>
    [Fact]
    public void Operations_that_wait_behind_a_slow_one_show_their_wait()
    {
        long clock = 0;
        OpenLoop loop = new(() => clock, due => clock = Math.Max(clock, due));
        OpenLoopResult result = loop.Run(1_000, 1_000, number => clock += number == 500 ? 100 * Millisecond : Millisecond / 10);
        result.CallOnly.Microseconds(0.99).Should().BeApproximately(100, 1);
        result.CallOnly.Microseconds(1).Should().BeApproximately(100_000, 1);
        result.FromSchedule.Microseconds(0.5).Should().BeApproximately(100, 1);
        result.FromSchedule.Microseconds(0.95).Should().BeGreaterThan(40_000, "a tenth of all began late");
        result.FromSchedule.Microseconds(1).Should().BeApproximately(100_000, 1);
        result.Seconds.Should().BeApproximately(1, 0.01, "the load catches up");
    }

    [Theory]
    [InlineData(new double[] { 3, 1, 2 }, 2, 1, 3)]
    [InlineData(new double[] { 4, 1 }, 2.5, 1, 4)]
    public void A_spread_is_median_smallest_and_largest(double[] figures, double median, double min, double max) =>
        Spread.Of(figures).Should().Be(new Spread(median, min, max));
}
