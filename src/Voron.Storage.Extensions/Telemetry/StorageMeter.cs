using System.Diagnostics.Metrics;
using Voron.Storage.Extensions.Hosting;

namespace Voron.Storage.Extensions.Telemetry;

/// <summary>
/// The meter of all environments of a host, with units of UCUM. Durations are measured as they happen; everything else is read from the
/// environments' reports when a listener collects.
/// </summary>
internal sealed class StorageMeter : IDisposable
{
    /// <summary>From 50 µs, below what a device needs, to 10 s.</summary>
    private static readonly InstrumentAdvice<double> Seconds = new()
    {
        HistogramBucketBoundaries = [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    };

    private static readonly InstrumentAdvice<int> Group = new() { HistogramBucketBoundaries = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] };

    private readonly Meter _meter;
    private readonly bool _ownsMeter;
    private readonly IReadOnlyList<HostedEnvironment> _environments;
    private readonly Histogram<double> _expiryDuration;
    private readonly Counter<long> _expired;
    private readonly Counter<long> _expiryFailures;

    internal StorageMeter(IMeterFactory? factory, IReadOnlyList<HostedEnvironment> environments)
    {
        _environments = environments;
        _ownsMeter = factory is null;
        _meter = factory?.Create(VoronStorageTelemetry.MeterName) ?? new Meter(VoronStorageTelemetry.MeterName);
        CommitDuration = _meter.CreateHistogram<double>(
            "voron.storage.commit.duration", "s", "Time of a journal write that committed something; commits of a group share one.", null,
            Seconds);
        CommitGroup = _meter.CreateHistogram<int>(
            "voron.storage.commit.group", "{commit}", "Transactions that shared a journal write.", null, Group);
        CheckpointDuration = _meter.CreateHistogram<double>(
            "voron.storage.checkpoint.duration", "s", "Time of a checkpoint, failed ones included.", null, Seconds);
        _expiryDuration = _meter.CreateHistogram<double>(
            "voron.storage.expiry.duration", "s", "Time of a sweep of expired rows.", null, Seconds);
        _expired = _meter.CreateCounter<long>("voron.storage.expiry.rows", "{row}", "Expired rows deleted.");
        _expiryFailures = _meter.CreateCounter<long>("voron.storage.expiry.failures", "{sweep}", "Sweeps of expired rows that failed.");
        Counter("voron.storage.commits", "{commit}", "Transactions committed.", static report => report.Commits);
        Counter("voron.storage.journal.writes", "{write}", "Writes to the commit journal.", static report => report.JournalWrites);
        Counter("voron.storage.journal.written", "By", "Bytes written to the commit journal.", static report => report.JournalBytesWritten);
        Counter("voron.storage.checkpoints", "{checkpoint}", "Checkpoints done.", static report => report.Checkpoints);
        Counter("voron.storage.writers.blocked", "{transaction}", "Write transactions that waited for a checkpoint.",
            static report => report.BlockedWriters);
        Counter("voron.storage.data.written", "By", "Bytes of pages written to the data file.", static report => report.DataBytesWritten);
        Counter("voron.storage.images.written", "By", "Bytes of page images written to the page journal.",
            static report => report.ImageBytesWritten);
        Counter("voron.storage.merged", "{entry}", "Pending entries merged into leaves.", static report => report.MergedEntries);
        Gauge("voron.storage.journal.size", "By", "Length of the journals' files.", static report => report.JournalBytes);
        Gauge("voron.storage.dirty", "By", "Page versions that are not in the data file.", static report => report.DirtyBytes);
        Gauge("voron.storage.pending", "By", "Memory of entries that are to be merged into their leaves.",
            static report => report.PendingBytes);
        Gauge("voron.storage.checkpoint.lag", "By", "Commit journal that no checkpoint has brought to the data file.",
            static report => report.CheckpointLagBytes);
        Gauge("voron.storage.file.size", "By", "Length of the data file.", static report => report.DataFileBytes);
        Gauge("voron.storage.file.free", "By", "Room within the data file.", static report => report.FreeBytes);
        Gauge("voron.storage.readers", "{transaction}", "Open read transactions.", static report => report.OpenReaders);
        Gauge("voron.storage.reader.age", "s", "Age of the oldest open read transaction.",
            static report => report.OldestReaderAge.TotalSeconds);
    }

    internal Histogram<double> CommitDuration { get; }

    internal Histogram<int> CommitGroup { get; }

    internal Histogram<double> CheckpointDuration { get; }

    /// <summary>A sweep of expired rows has come to its end.</summary>
    internal void RowsExpired(KeyValuePair<string, object?> storage, string table, long rows, TimeSpan duration)
    {
        KeyValuePair<string, object?> tag = TableTag(table);
        _expired.Add(rows, storage, tag);
        _expiryDuration.Record(duration.TotalSeconds, storage, tag);
    }

    /// <summary>A sweep of expired rows has failed.</summary>
    internal void ExpiryFailed(KeyValuePair<string, object?> storage, string table) =>
        _expiryFailures.Add(1, storage, TableTag(table));

    public void Dispose()
    {
        if (_ownsMeter)
        {
            _meter.Dispose();
        }
    }

    private static KeyValuePair<string, object?> TableTag(string table) => new(VoronStorageTelemetry.TableTag, table);

    private void Counter(string name, string unit, string description, Func<EnvironmentReport, long> read) =>
        _meter.CreateObservableCounter(name, () => Measure(read), unit, description);

    private void Gauge<T>(string name, string unit, string description, Func<EnvironmentReport, T> read)
        where T : struct =>
        _meter.CreateObservableGauge(name, () => Measure(read), unit, description);

    private IEnumerable<Measurement<T>> Measure<T>(Func<EnvironmentReport, T> read)
        where T : struct
    {
        foreach (HostedEnvironment environment in _environments)
        {
            if (environment.TryGetReport(out EnvironmentReport? report))
            {
                yield return new Measurement<T>(read(report), environment.Tag);
            }
        }
    }
}
