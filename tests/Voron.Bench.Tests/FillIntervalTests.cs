using System.Diagnostics;
using FluentAssertions;
using Voron.Bench.Load;
using Voron.Bench.Peers;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>The lines of a fill that goes on: what happened between two moments, and not since the fill began.</summary>
public class FillIntervalTests
{
    private static readonly long Millisecond = Stopwatch.Frequency / 1000;

    private static readonly FillMoment From = new(10, 1_000_000, 5_000_000_000, 64 << 20, new StoreFiles(100, 200), null);
    private static readonly FillMoment To = new(
        15, 1_400_000, 5_300_000_000, 96L << 20, new StoreFiles(3L << 30, 256L << 20), null);

    [Fact]
    public void An_interval_counts_what_happened_within_it()
    {
        FillInterval interval = FillInterval.Between(From, To, Durations(4, 1, 2, 3));
        interval.PutsPerSecond.Should().BeApproximately(80_000, 1e-6);
        interval.DeviceBytesPerPut.Should().BeApproximately(750, 1e-6);
        interval.P50Milliseconds.Should().BeApproximately(3, 1e-3);
        interval.MaxMilliseconds.Should().BeApproximately(4, 1e-3);
        interval.Should().BeEquivalentTo(new
        {
            Seconds = 15.0, Items = 1_400_000, AnonymousBytes = 96L << 20, DataBytes = 3L << 30, JournalBytes = 256L << 20,
        });
        interval.ToString().Should().Be(
            "  15.0 s     1,400,000 items    80,000/s  p50 3.000 p99 4.000 p99.9 4.00 max 4.0 ms  750 B a put  "
            + "memory 96 data 3,072 journal 256 MiB");
    }

    [Fact]
    public void Without_a_device_nothing_is_said_of_it()
    {
        FillInterval interval = FillInterval.Between(From with { DeviceBytes = null }, To with { DeviceBytes = null }, Durations(1));
        interval.DeviceBytesPerPut.Should().BeNull();
        interval.ToString().Should().Contain($"  {RowColumn.NotMeasured} a put  ");
        FillInterval.SeriesOf([interval]).Keys.Should().Contain("puts a second").And.NotContain("device bytes a put");
    }

    [Fact]
    public void What_our_engine_wrote_is_told_by_cause()
    {
        FillMoment from = From with { Causes = new FillCauses(1_000, 2_000, 3_000, 4_000, 5 << 20) };
        FillMoment to = To with { Causes = new FillCauses(60_001_000, 120_002_000, 20_003_000, 304_000, 6 << 20) };
        FillInterval interval = FillInterval.Between(from, to, Durations(1));
        interval.ToString().Should().EndWith(
            " MiB  (commits 150 pages 300 images 50 B a put, 0.75 merged; 6 MiB pending)");
        FillInterval.SeriesOf([interval])["entries to be merged in MiB"].Should().Equal(15, 6);
    }

    [Fact]
    public void A_series_has_a_pair_for_each_interval()
    {
        FillInterval first = FillInterval.Between(From, To, Durations(1));
        FillInterval second = FillInterval.Between(To, To with { Seconds = 20.04, Items = 1_400_504 }, Durations(2));
        Dictionary<string, double[]> series = FillInterval.SeriesOf([first, second]);
        series["puts a second"].Should().Equal(15, 80_000, 20, 100);
        series["longest transaction in ms"].Should().Equal(15, 1, 20, 2);
        series["journal in MiB"].Should().Equal(15, 256, 20, 256);
    }

    [Fact]
    public void Durations_of_an_interval_are_those_noted_since_the_one_before()
    {
        Latencies all = Durations(9, 8, 1, 2, 3);
        Latencies part = all.From(2);
        part.Count.Should().Be(3);
        part.Microseconds(1).Should().BeApproximately(3_000, 1);
        all.From(5).Microseconds(1).Should().Be(0);
        all.Microseconds(1).Should().BeApproximately(9_000, 1);
    }

    private static Latencies Durations(params int[] milliseconds)
    {
        Latencies latencies = new(milliseconds.Length);
        foreach (int one in milliseconds)
        {
            latencies.Add(0, one * Millisecond);
        }

        return latencies;
    }
}
