using BenchmarkDotNet.Running;

namespace Voron.Bench.Verbs;

/// <summary>Hands the command line to BenchmarkDotNet.</summary>
internal static class BenchmarkVerb
{
    internal static int Run(string[] args)
    {
        BenchmarkSwitcher switcher = BenchmarkSwitcher.FromAssembly(typeof(BenchmarkVerb).Assembly);
        return switcher.Run(args).Any(summary => summary.HasCriticalValidationErrors) ? 1 : 0;
    }
}
