using System.Globalization;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Io;

/// <summary>Traces one engine's commits and counts what they ask of the system.</summary>
internal static class IoRun
{
    private const int MostPoints = 4_000;

    /// <summary>One row; its times mean nothing, since every call was held up by the trace.</summary>
    internal static Row Measure(BenchRun run, StoreKind kind, string name, KeyOrder order, int valueBytes)
    {
        if ((kind.InstallLine ?? IoProcess.InstallLine) is { } line)
        {
            return Row.Skipped(name, kind.Name, "sync", line);
        }

        int transactions = run.Scaled(100, 10);
        string folder = run.Workspace.NextDatabase();
        IoChild child = new(kind.Name, false, folder, order, valueBytes, transactions, CountsDevice: false);
        List<IoCall>? calls = IoProcess.Trace(child);
        Workspace.Remove(folder);
        if (calls is null)
        {
            return Row.Skipped(name, kind.Name, "sync", CommitWaits.NotTraced);
        }

        // The text of the trace goes to the same device; its bytes are counted in a run without it.
        double? deviceBytes = IoProcess.DeviceBytesOf(child);
        Workspace.Remove(folder);
        return RowOf(name, kind, transactions, calls) with
        {
            DeviceBytesPerItem = deviceBytes / transactions,
            DeviceBytesOf = BlockDevice.Under(run.Workspace.Root)?.Name ?? BlockDevice.Unknown,
        };
    }

    /// <summary>
    /// The figures are of the thread that commits; what other threads do meanwhile, in the background, is said beside them.
    /// </summary>
    private static Row RowOf(string name, StoreKind kind, int transactions, List<IoCall> calls)
    {
        List<IoCall> own = [.. calls.Where(static call => call.Thread == 0)];
        List<IoCall> writes = [.. own.Where(static call => call.Kind == IoKind.Write)];
        double seconds = calls.Count == 0 ? 0 : calls[^1].Seconds - calls[0].Seconds;
        return Row.Timed(name, kind.Name, "sync", transactions, [seconds]) with
        {
            Durability = kind.Durability,
            Version = kind.Version,
            WritesPerCommit = writes.Count / (double)transactions,
            SyncsPerCommit = own.Count(static call => call.Kind == IoKind.Sync) / (double)transactions,
            WriteThroughPerCommit = writes.Count(static write => write.IsThrough) / (double)transactions,
            BytesPerCommit = writes.Sum(static write => write.Bytes) / (double)transactions,
            SeeksPerCommit = IoTrace.CountSeeks(own) / (double)transactions,
            LargestWriteBytes = writes.Count == 0 ? null : writes.Max(static write => write.Bytes),
            Note = BackgroundOf([.. calls.Where(static call => call.Thread != 0)]),
            Points = PointsOf([.. calls.Where(static call => call.Kind == IoKind.Write)]),
        };
    }

    private static string? BackgroundOf(List<IoCall> calls)
    {
        long bytes = calls.Sum(static call => call.Bytes);
        int syncs = calls.Count(static call => call.Kind == IoKind.Sync);
        return calls.Count == 0
            ? null
            : string.Create(
                CultureInfo.InvariantCulture,
                $"other threads, of the whole run: {calls.Count - syncs:N0} writes, {bytes >> 10:N0} KiB, {syncs:N0} syncs");
    }

    /// <summary>Offsets over time, a series for each file.</summary>
    private static Dictionary<string, double[]> PointsOf(List<IoCall> writes)
    {
        int step = Math.Max(1, writes.Count / MostPoints);
        return writes
            .Where((_, place) => place % step == 0)
            .GroupBy(static write => Path.GetFileName(write.Path))
            .ToDictionary(
                static file => file.Key,
                file => file.SelectMany(write => (double[])
                    [Math.Round(write.Seconds - writes[0].Seconds, 6), write.Offset]).ToArray());
    }
}
