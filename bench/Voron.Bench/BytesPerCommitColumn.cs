using System.Collections.Concurrent;
using System.Globalization;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Voron.Bench;

/// <summary>Journal bytes of a commit, as the engine counts them; benchmarks run in this process and note them here.</summary>
internal sealed class BytesPerCommitColumn() : FigureColumn("bytes / commit", "Journal bytes of a commit")
{
    private static readonly ConcurrentDictionary<string, double> Noted = new();

    public override string GetValue(Summary summary, BenchmarkCase benchmarkCase) =>
        benchmarkCase.Parameters.Items.FirstOrDefault(static item => item.Name == nameof(HeadlineBenchmark.Mode)) is { } mode
            && Noted.TryGetValue(mode.Value.ToString()!, out double bytes)
            ? bytes.ToString("N0", CultureInfo.InvariantCulture)
            : "-";

    internal static void Note(string mode, double bytes) => Noted[mode] = bytes;
}
