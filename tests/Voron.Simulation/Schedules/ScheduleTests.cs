using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Simulation.Tapes;
using Xunit;

namespace Voron.Simulation.Schedules;

/// <summary>
/// The engine's threads in thousands of orders, with power cuts inside: no order may lose what was promised, show a reader anything but its
/// snapshot, or stop everybody.
/// </summary>
[Trait("Lane", "Schedule")]
public sealed class ScheduleTests
{
    private const int ReplayedSeeds = 200;

    public static TheoryData<string> Kinds => [.. Enum.GetNames<ScheduleKind>()];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void No_order_of_threads_breaks_a_promise(string kind)
    {
        long count = ScheduleLane.Schedules / Enum.GetValues<ScheduleKind>().Length;
        long start = TimeProvider.System.GetTimestamp();
        ScheduleStatistics statistics = ScheduleLane.Run(Enum.Parse<ScheduleKind>(kind), count);
        double seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        TestContext.Current.TestOutputHelper?.WriteLine($"{kind}: {statistics} in {seconds:F1} s");
        if (!SimSeed.IsGiven)
        {
            statistics.Schedules.Should().Be(count);

            // A dispose without threads of the engine's own is short: fewer orders differ, with fewer switches.
            statistics.Distinct.Should().BeGreaterThan(kind == nameof(ScheduleKind.Dispose) ? count / 2 : count * 9 / 10);
            statistics.Cuts.Should().BeGreaterThan(count);
            statistics.Switches.Should().BeGreaterThan(5 * count);
        }
    }

    /// <summary>A seed gives one run, and its tape gives the same one again: everything that could differ is in the hash.</summary>
    [Fact]
    public void Seeds_and_their_tapes_give_equal_runs()
    {
        ScheduleKind[] kinds = Enum.GetValues<ScheduleKind>();
        int equal = 0;
        foreach (ulong seed in SimSeed.List(ReplayedSeeds))
        {
            ScheduleKind kind = kinds[(int)(seed % (ulong)kinds.Length)];
            ScheduleOutcome first = ScheduleRun.Fresh(kind, seed);
            ScheduleOutcome again = ScheduleRun.Fresh(kind, seed);
            ScheduleOutcome replayed = ScheduleRun.Replay(DecisionTape.Parse(first.Tape.ToString(';')));
            again.Hash.Should().Be(first.Hash, "of seed {0}", seed);
            replayed.Hash.Should().Be(first.Hash, "of the tape of seed {0}", seed);
            equal++;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"replayed: {equal} of {ReplayedSeeds} seeds and their tapes gave the same hash");
    }
}
