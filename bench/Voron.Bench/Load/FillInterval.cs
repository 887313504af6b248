using System.Globalization;

namespace Voron.Bench.Load;

/// <summary>A few seconds of a fill that goes on, as one line and as one point of each chart.</summary>
/// <param name="Seconds">Since the fill began, at the interval's end.</param>
/// <param name="Items">Committed by then.</param>
/// <param name="PutsPerSecond">Within the interval, as all that follows up to the device bytes.</param>
/// <param name="P50Milliseconds">Half of the transactions took no longer.</param>
/// <param name="P99Milliseconds">99 of 100 took no longer.</param>
/// <param name="P999Milliseconds">999 of 1,000 took no longer.</param>
/// <param name="MaxMilliseconds">The longest one.</param>
/// <param name="DeviceBytesPerPut">That the block device wrote, by any process; null where no device is known.</param>
/// <param name="AnonymousBytes">Memory that no file stands behind, at the interval's end.</param>
/// <param name="DataBytes">Lengths of the files of data, at its end.</param>
/// <param name="JournalBytes">Lengths of the files of the journal or log, at its end.</param>
/// <param name="Causes">What our engine wrote for each put, by cause; null for another one.</param>
internal sealed record FillInterval(
    double Seconds, int Items, double PutsPerSecond, double P50Milliseconds, double P99Milliseconds, double P999Milliseconds,
    double MaxMilliseconds, double? DeviceBytesPerPut, long AnonymousBytes, long DataBytes, long JournalBytes,
    FillCauses? Causes)
{
    private const double Mebibyte = 1 << 20;

    private static readonly (string Name, Func<FillInterval, double?> Figure)[] Figures =
    [
        ("puts a second", static interval => interval.PutsPerSecond),
        ("p50 of a transaction in ms", static interval => interval.P50Milliseconds),
        ("p99 of a transaction in ms", static interval => interval.P99Milliseconds),
        ("p99.9 of a transaction in ms", static interval => interval.P999Milliseconds),
        ("longest transaction in ms", static interval => interval.MaxMilliseconds),
        ("device bytes a put", static interval => interval.DeviceBytesPerPut),
        ("anonymous memory in MiB", static interval => interval.AnonymousBytes / Mebibyte),
        ("data files in MiB", static interval => interval.DataBytes / Mebibyte),
        ("journal in MiB", static interval => interval.JournalBytes / Mebibyte),
        ("entries to be merged in MiB", static interval => interval.Causes?.PendingBytes / Mebibyte),
    ];

    /// <summary>What happened from one moment to another.</summary>
    /// <param name="from">Its begin.</param>
    /// <param name="to">Its end.</param>
    /// <param name="transactions">Durations of those in between.</param>
    internal static FillInterval Between(FillMoment from, FillMoment to, Latencies transactions)
    {
        double puts = to.Items - from.Items;
        return new FillInterval(
            to.Seconds,
            to.Items,
            puts / (to.Seconds - from.Seconds),
            transactions.Microseconds(0.5) / 1e3,
            transactions.Microseconds(0.99) / 1e3,
            transactions.Microseconds(0.999) / 1e3,
            transactions.Microseconds(1) / 1e3,
            (to.DeviceBytes - from.DeviceBytes) / puts,
            to.AnonymousBytes,
            to.Files.DataBytes,
            to.Files.JournalBytes,
            to.Causes?.PerPut(from.Causes!, puts));
    }

    /// <summary>The series of a row's charts: each figure over the seconds. One that was not measured in all intervals has none.</summary>
    internal static Dictionary<string, double[]> SeriesOf(IReadOnlyList<FillInterval> intervals) => Figures
        .Where(figure => intervals.All(interval => figure.Figure(interval) is not null))
        .ToDictionary(
            static figure => figure.Name,
            figure => intervals.SelectMany(interval => (double[])
                [Math.Round(interval.Seconds, 1), Math.Round(figure.Figure(interval)!.Value, 3)]).ToArray());

    /// <summary>One line for people.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Seconds,6:N1} s {Items,13:N0} items {PutsPerSecond,9:N0}/s  p50 {P50Milliseconds:N3} p99 {P99Milliseconds:N3} "
        + $"p99.9 {P999Milliseconds:N2} max {MaxMilliseconds:N1} ms  "
        + $"{DeviceBytesText(DeviceBytesPerPut)} a put  memory {AnonymousBytes / Mebibyte:N0} data {DataBytes / Mebibyte:N0} "
        + $"journal {JournalBytes / Mebibyte:N0} MiB{Causes?.ToText()}");

    /// <summary>Bytes to the device, with their unit where they are known.</summary>
    internal static string DeviceBytesText(double? bytes) =>
        bytes is null ? RowColumn.NotMeasured : RowColumn.Number(bytes, "N0") + " B";
}
