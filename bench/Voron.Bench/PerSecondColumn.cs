using System.Globalization;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Voron.Bench;

/// <summary>Operations a second, which is what the bench speaks of everywhere else.</summary>
internal sealed class PerSecondColumn() : FigureColumn("ops / sec", "Operations a second, from the mean")
{
    public override string GetValue(Summary summary, BenchmarkCase benchmarkCase) =>
        summary[benchmarkCase]?.ResultStatistics is { Mean: > 0 } statistics
            ? (1e9 / statistics.Mean).ToString("N0", CultureInfo.InvariantCulture)
            : "?";
}
