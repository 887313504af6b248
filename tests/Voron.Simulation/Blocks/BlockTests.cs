using System.Globalization;
using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Blocks;

/// <summary>
/// Power cuts of a device below real file systems. VORON_BLOCKS sets how many on plain ext4 (default 12; an eighth of it on each other
/// setting of ext4, a quarter on xfs), VORON_SEED the script and the cuts.
/// </summary>
[Trait("Lane", "Blocks")]
public class BlockTests(ITestOutputHelper output)
{
    private static int Cuts => int.Parse(Environment.GetEnvironmentVariable("VORON_BLOCKS") ?? "12", CultureInfo.InvariantCulture);

    private static ulong Seed => SimSeed.GivenOrAny();

    [Theory]
    [InlineData("ext4", 1)]
    [InlineData("ext4-fast-commit", 8)]
    [InlineData("ext4-data-journal", 8)]
    [InlineData("ext4-data-writeback", 8)]
    [InlineData("xfs", 4)]
    public void A_power_cut_below_the_file_system_loses_nothing_acknowledged(string system, int part)
    {
        Assert.SkipUnless(BlockTools.ArePossible, BlockTools.Missing);
        ulong seed = Seed;
        BlockStatistics statistics = BlockLane.Run(BlockFileSystem.Named(system), Math.Max(1, Cuts / part), seed);
        output.WriteLine($"{system}: {statistics}, seed {seed}");
        if (statistics.Cuts >= 50)
        {
            // Few cuts scatter more.
            int share = statistics.Cuts >= 200 ? 4 : 8;
            int lost = statistics.LostSector * share;
            lost.Should().BeGreaterThan(statistics.Cuts, "a cut that loses nothing tries little (seed {0})", seed);
            (statistics.InsideCheckpoint * 10).Should().BeGreaterThan(statistics.Cuts, "checkpoints must be cut (seed {0})", seed);
        }
    }

    [Fact]
    public void A_kept_image()
    {
        if (Environment.GetEnvironmentVariable("VORON_IMAGE") is { } image)
        {
            using BlockWorkspace workspace = new();
            BlockJudge.JudgeKept(image, workspace);
        }
    }
}
