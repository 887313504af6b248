using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>Orders of events, drawn by seeds.</summary>
public sealed class ScheduleTests(ITestOutputHelper output)
{
    internal const int Steps = 400;

    [Fact]
    [Trait("Lane", "Replicas")]
    public void Nothing_acknowledged_is_lost_or_acknowledged_twice_and_nodes_are_equal()
    {
        int schedules = Number("VORON_REPLICA_SCHEDULES", 4000);
        int first = Number("VORON_REPLICA_SEED", 1);
        long acknowledged = 0;
        long voids = 0;
        long leaders = 0;
        Parallel.For(first, first + schedules, seed =>
        {
            (long Acknowledged, long Voids, long Leaders) figures = Run(seed);
            Interlocked.Add(ref acknowledged, figures.Acknowledged);
            Interlocked.Add(ref voids, figures.Voids);
            Interlocked.Add(ref leaders, figures.Leaders);
        });
        output.WriteLine(
            $"replicas: schedules {schedules}, acknowledged {acknowledged}, void entries {voids}, changes of the leader {leaders}");
        if (schedules > 100)
        {
            // A schedule that never gets to anything proves nothing.
            acknowledged.Should().BeGreaterThan(2L * schedules);
            voids.Should().BeGreaterThan(schedules);
            leaders.Should().BeGreaterThan(2L * schedules);
        }
    }

    private static (long Acknowledged, long Voids, long Leaders) Run(int seed)
    {
        try
        {
            return Schedule.Run(seed, Steps);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException(
                $"Seed {seed}: {error.Message}\nVORON_REPLICA_SEED={seed} VORON_REPLICA_SCHEDULES=1 "
                + "dotnet test -c Release tests/Voron.Storage.Replication.Tests --filter Lane=Replicas",
                error);
        }
    }

    private static int Number(string variable, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int number) ? number : otherwise;
}
