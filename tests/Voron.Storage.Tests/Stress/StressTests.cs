using System.Diagnostics;
using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Stress;

/// <summary>
/// Snapshot isolation under real threads, one life of an environment after another. VORON_STRESS_SECONDS lengthens the lane,
/// VORON_STRESS_SEED repeats a life as far as threads repeat.
/// </summary>
[Trait("Lane", "Stress")]
public sealed class StressTests(ITestOutputHelper output)
{
    private const int Seconds = 10;
    private static readonly TimeSpan Life = TimeSpan.FromSeconds(2);

    [Fact]
    public void Every_read_gives_what_its_snapshot_has()
    {
        int? given = (int?)Number(StressLife.SeedVariable);
        TimeSpan time = TimeSpan.FromSeconds(Number(StressLife.SecondsVariable) ?? Seconds);
        int seed = given ?? Random.Shared.Next(1 << 30);
        long reads = 0;
        long snapshots = 0;
        int lives = 0;
        output.WriteLine($"to repeat: {StressLife.SeedVariable}={seed} {StressLife.SecondsVariable}={time.TotalSeconds} "
            + "dotnet test -c Release tests/Voron.Storage.Tests --filter Lane=Stress");
        for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < time; lives++)
        {
            using StressLife life = new(given ?? seed + lives);
            life.Run(Life);
            output.WriteLine($"{life}: {life.Model.Last} transactions, {life.Snapshots} snapshots, {life.Reads} reads, "
                + $"{life.Model.At(life.Model.Last).Values.Sum(static rows => rows.Count)} rows in the end");
            reads += life.Reads;
            snapshots += life.Snapshots;
        }

        output.WriteLine($"stress: {lives} lives, {snapshots} snapshots, {reads} reads");
        reads.Should().BePositive();
    }

    private static long? Number(string variable) => System.Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text
        ? long.Parse(text, CultureInfo.InvariantCulture)
        : null;
}
