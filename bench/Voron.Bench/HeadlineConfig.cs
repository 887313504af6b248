using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Voron.Bench;

/// <summary>
/// How BenchmarkDotNet runs the headline: five times after one warm-up, in this process as the verb does, and without looking for a
/// number of calls that would make it "long enough".
/// </summary>
internal sealed class HeadlineConfig : ManualConfig
{
    public HeadlineConfig()
    {
        AddJob(Job.Default
            .WithToolchain(InProcessEmitToolchain.Instance)
            .WithStrategy(RunStrategy.Monitoring)
            .WithWarmupCount(1)
            .WithIterationCount(5));
        AddColumn(new PerSecondColumn(), new BytesPerCommitColumn());
    }
}
