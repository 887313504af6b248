using FluentAssertions;
using Voron.Bench.Measuring;
using Xunit;

namespace Voron.Bench.Tests;

public class RoundTests
{
    private const double Best = 200;

    [Theory]
    [InlineData(200, 200, false)]
    [InlineData(200, 249, false)]
    [InlineData(299, 299, false)]
    [InlineData(200, 251, true)]
    [InlineData(251, 200, true)]
    [InlineData(301, 301, true)]
    public void A_round_is_disturbed_when_the_device_changed_its_speed_or_was_slow_all_the_while(int before, int after, bool disturbed) =>
        RoundOf(before, after, writes: 1_000).IsDisturbed(Best).Should().Be(disturbed);

    [Fact]
    public void Few_writes_say_nothing_about_the_device() => RoundOf(200, 900, writes: 99).IsDisturbed(Best).Should().BeFalse();

    [Fact]
    public void The_limit_is_that_of_the_faster_probe() =>
        RoundOf(250, 200, writes: 1_000).WritesPerSecond.Should().BeApproximately(5_000, 1);

    [Fact]
    public void A_row_is_disturbed_until_its_disturbed_rounds_are_replaced()
    {
        Contender contender = new("row", "engine", "sync", "durable", () => new Measured(1, 1));
        Tally tally = new(contender, ProbeSize.Headline);
        tally.Add(RoundOf(200, 200, writes: 1_000));
        tally.Add(RoundOf(200, 400, writes: 1_000));
        tally.ToRow(Best).Disturbed.Should().BeTrue();

        tally.TakeOutDisturbed(Best).Should().Be(1);
        tally.Add(RoundOf(210, 200, writes: 1_000));
        tally.ToRow(Best).Disturbed.Should().BeFalse();
    }

    [Theory]
    [InlineData("lmdb", 1, false)]
    [InlineData("lmdb", 2, true)]
    [InlineData("Voron.Storage", 9, false)]
    [InlineData("Voron.Storage async", 9, false)]
    public void Slow_rounds_of_a_peer_say_enough_and_ours_never(string engine, int rounds, bool isEnough)
    {
        Tally tally = new(new Contender("row", engine, "sync", "durable", () => new Measured(1, 1)), ProbeSize.Headline);
        for (int round = 0; round < rounds; round++)
        {
            tally.Add(RoundOf(200, 200, writes: 1_000, seconds: 3.5));
        }

        tally.HasSaidEnough.Should().Be(isEnough);
    }

    private static Round RoundOf(int before, int after, int writes, double seconds = 1) =>
        new(new Measured(seconds, 1_000), ProbeOf(before, writes), ProbeOf(after, writes));

    private static Probe ProbeOf(int microseconds, int writes) =>
        new(writes, 4096, writes * microseconds / 1e6, microseconds, microseconds);
}
