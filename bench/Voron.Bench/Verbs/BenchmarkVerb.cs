using BenchmarkDotNet.Running;

namespace Voron.Bench.Verbs;

/// <summary>Hands the command line to BenchmarkDotNet.</summary>
internal static class BenchmarkVerb
{
    internal static int Run(string[] args) =>
        BenchmarkSwitcher.FromAssembly(typeof(BenchmarkVerb).Assembly).Run(args).All(summary => !summary.HasCriticalValidationErrors) ? 0 : 1;
}
