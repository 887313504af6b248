using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Voron.Bench;

/// <summary>How BenchmarkDotNet runs single operations: in this process, since a process of its own would have to be built first.</summary>
internal sealed class MicroConfig : ManualConfig
{
    public MicroConfig()
    {
        AddJob(Job.Default.WithToolchain(InProcessEmitToolchain.Instance).WithWarmupCount(3).WithIterationCount(8));
        AddColumn(new PerSecondColumn());
    }
}
