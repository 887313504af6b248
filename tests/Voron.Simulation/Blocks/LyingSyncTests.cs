using System.Globalization;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Blocks;

/// <summary>
/// A device that fails one write or one flush below ext4 and works again: the file system forgets what it could not write and calls the
/// next sync a success. The engine must stop at the first failure; whoever opens again, on the same mount with what its cache pretends or
/// after a new one, finds all that was acknowledged. VORON_SYNCS sets how many calls fail, spread over the lives (default 10 of each kind).
/// </summary>
[Trait("Lane", "Blocks")]
public class LyingSyncTests(ITestOutputHelper output)
{
    private static int Points => int.Parse(Environment.GetEnvironmentVariable("VORON_SYNCS") ?? "10", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData("write")]
    [InlineData("flush")]
    public void A_failure_that_is_forgotten_loses_nothing_acknowledged(string kind)
    {
        Assert.SkipUnless(BlockTools.ArePossible, BlockTools.Missing);
        using BlockWorkspace workspace = new();
        string image = workspace.PathOf("image");
        BlockFileSystem.All[0].Make(image);
        LyingSyncTrial trial = new(workspace, image, isFlush: kind == "flush");
        long calls = trial.CountCalls();
        int stopped = 0;
        int failed = 0;
        int points = (int)Math.Min(Points, calls);
        for (int i = 0; i < points; i++)
        {
            (bool wasMet, bool hasStopped) = trial.FailAt(calls * i / points);
            failed += wasMet ? 1 : 0;
            stopped += hasStopped ? 1 : 0;
        }

        output.WriteLine($"{kind}: {points} of {calls} calls, {failed} failed, {stopped} of them stopped the engine");
        failed.Should().BeGreaterThan(points / 2, "the calls must be met");
        stopped.Should().BePositive("some failures must reach the engine");
    }
}
