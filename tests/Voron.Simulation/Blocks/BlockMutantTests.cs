#if MUTANTS
using FluentAssertions;
using Xunit;

namespace Voron.Simulation.Blocks;

/// <summary>
/// Breaks a rule of the process that writes, while the judge stays healthy: cuts below a real file system must notice. The lane Blocks
/// passes with a healthy one. Rules of recovery and of readers cannot show here, and what a second rule makes good shows too seldom.
/// </summary>
[Trait("Lane", "Mutant")]
public class BlockMutantTests(ITestOutputHelper output)
{
    private const int Cuts = 400;
    private const ulong Seed = 1;

    [Theory]
    [InlineData("AcknowledgeEarly")]
    [InlineData("ApplyBeforeImageSet")]
    [InlineData("SkipImageSetSync")]
    [InlineData("OverwriteHeldPages")]
    [InlineData("UseChunkBeforeItsSync")]
    [InlineData("RecycleNewestImageSet")]
    public void A_broken_rule_is_noticed_below_a_file_system(string rule)
    {
        Assert.SkipUnless(BlockTools.ArePossible, BlockTools.Missing);
        BlockFileSystem system = BlockFileSystem.All[0];
        Action broken = () => BlockLane.Run(system, Cuts, Seed, rule);
        Exception noticed = broken.Should().Throw<InvalidOperationException>("{0} must not survive {1} cuts", rule, Cuts).Which;
        output.WriteLine($"{rule}: {noticed.Message} {noticed.InnerException?.Message}");
        foreach (string kept in Directory.GetFiles(Path.GetTempPath(), $"power-cut_{system.Name}_{Seed}_*"))
        {
            // Cuts are judged side by side, so more than one may have found something.
            File.Delete(kept);
        }
    }
}
#endif
