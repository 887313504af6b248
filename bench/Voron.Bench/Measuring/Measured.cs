using Voron.Storage;

namespace Voron.Bench.Measuring;

/// <summary>What one round of one contender took and cost. What nobody measured is null.</summary>
internal sealed record Measured(double Seconds, long Items)
{
    /// <summary>Durations of single operations.</summary>
    public Latencies? Latencies { get; init; }

    public double? CloseSeconds { get; init; }

    /// <summary>Bytes that were written to the device, closing included; by any process.</summary>
    public double? DeviceBytes { get; init; }

    /// <summary>Bytes that were read from the device, by any process, until the timed part ended.</summary>
    public double? DeviceBytesRead { get; init; }

    /// <summary>Which device counted them, or why none did; null where they were not asked for.</summary>
    public string? DeviceBytesOf { get; init; }

    public double? CpuSeconds { get; init; }

    public double? ManagedBytes { get; init; }

    /// <summary>Memory that no file stands behind, at its peak, above what there was before.</summary>
    public double? PeakBytes { get; init; }

    /// <summary>What the closed database takes on the disk.</summary>
    public double? DiskBytes { get; init; }

    public double? BytesPerCommit { get; init; }

    public double? WritesPerCommit { get; init; }

    public double? SyncsPerCommit { get; init; }

    public double? AllocatedToLogical { get; init; }

    /// <summary>The same with what our engine counted between two reports; unchanged for engines that count nothing.</summary>
    internal Measured WithCounts(EnvironmentReport? before, EnvironmentReport? after)
    {
        if (before is null || after is null)
        {
            return this;
        }

        double commits = Math.Max(after.Commits - before.Commits, 1);
        return this with
        {
            BytesPerCommit = (after.JournalBytesWritten - before.JournalBytesWritten) / commits,
            WritesPerCommit = (after.JournalWrites - before.JournalWrites) / commits,
            SyncsPerCommit = (after.JournalSyncs - before.JournalSyncs) / commits,
        };
    }

    /// <summary>What the row must say beside its figures.</summary>
    public string? Note { get; init; }

    /// <summary>The row of a single round.</summary>
    internal Row ToRow(string name, string engine) => Row.Timed(name, engine, "sync", Items, [Seconds]) with
    {
        P50Microseconds = Latencies?.Microseconds(0.5),
        P99Microseconds = Latencies?.Microseconds(0.99),
        P999Microseconds = Latencies?.Microseconds(0.999),
        MaxMicroseconds = Latencies?.Microseconds(1),
        CloseSeconds = CloseSeconds,
        DeviceBytesPerItem = DeviceBytes / Items,
        DeviceBytesReadPerItem = DeviceBytesRead / Items,
        DeviceBytesOf = DeviceBytesOf,
        CpuMicrosecondsPerItem = CpuSeconds * 1e6 / Items,
        ManagedBytesPerItem = ManagedBytes / Items,
        PeakBytes = PeakBytes,
        DiskBytes = DiskBytes,
        Note = Note,
    };
}
