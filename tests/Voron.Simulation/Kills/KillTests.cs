using System.Globalization;
using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Kills;

/// <summary>kill -9 on real files. VORON_KILLS sets how many (default 12), VORON_SEED which.</summary>
public class KillTests(ITestOutputHelper output)
{
    [Fact]
    [Trait("Lane", "Kill")]
    public void A_killed_writer_loses_nothing_acknowledged()
    {
        int kills = int.Parse(Environment.GetEnvironmentVariable("VORON_KILLS") ?? "12", CultureInfo.InvariantCulture);
        ulong seed = SimSeed.GivenOrAny();
        string folder = Directory.CreateTempSubdirectory("voron-kill-").FullName;
        try
        {
            KillLoop loop = new(folder, seed);
            while (loop.Kills < kills)
            {
                loop.KillOnce();
            }

            output.WriteLine(
                $"{loop.Kills} kills, {loop.KillsInsideCheckpoint} inside a checkpoint, {loop.KillsInsideOpening} inside an opening, "
                + $"seed {seed}");
            loop.KillsInsideCheckpoint.Should().BeGreaterThanOrEqualTo(
                kills / 5, "a fifth of the kills must hit a checkpoint (seed {0})", seed);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
