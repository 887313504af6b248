using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>The engine on disks that crash.</summary>
public sealed class EngineCrashTests
{
    [Fact]
    public void A_few_random_runs_survive()
    {
        var options = new CrashOptions { Test = nameof(A_few_random_runs_survive), MostOpens = 500 };
        var runner = new CrashRunner(new EngineSubject(), options);
        long start = TimeProvider.System.GetTimestamp();
        foreach (ulong seed in SimSeed.List(4))
        {
            runner.Run(Workload.Generate(seed, new WorkloadOptions { PageBytes = EngineSubject.PageBytes }));
            TestContext.Current.TestOutputHelper?.WriteLine(runner.Statistics + " " + TimeProvider.System.GetElapsedTime(start));
        }

        runner.Statistics.Workloads.Should().BePositive();
    }
}
