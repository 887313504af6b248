using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Io;

/// <summary>Traces one engine's commits and counts what they ask of the system.</summary>
internal static class IoRun
{
    internal const string Tracer = "/usr/bin/strace";
    internal const string InstallLine = "apt-get install strace";

    private const int MostPoints = 4_000;
    private const int MostMinutes = 2;

    /// <summary>One row; its times mean nothing, since every call was held up by the trace.</summary>
    internal static Row Measure(BenchRun run, StoreKind kind, string name, KeyOrder order, int valueBytes)
    {
        if (kind.InstallLine is { } line)
        {
            return Row.Skipped(name, kind.Name, "sync", line);
        }

        int transactions = run.Scaled(100, 10);
        string folder = run.Workspace.NextDatabase();
        Directory.CreateDirectory(folder);
        string traces = Path.Combine(folder, "traces");
        Directory.CreateDirectory(traces);
        string output = Trace(IoChild.Order(kind.Name, Path.Combine(folder, "db"), order, valueBytes, transactions), traces);
        List<IoCall> calls = IoTrace.Parse(Directory.GetFiles(traces).Select(File.ReadLines));
        Workspace.Remove(folder);
        if (!output.Contains(IoTrace.EndMark, StringComparison.Ordinal))
        {
            return Row.Skipped(name, kind.Name, "sync", "the trace did not run to its end; strace may not be allowed to trace here");
        }

        return RowOf(name, kind, transactions, calls) with { DeviceBytesPerItem = DeviceBytesIn(output) / transactions };
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
            WritesPerCommit = writes.Count / (double)transactions,
            SyncsPerCommit = own.Count(static call => call.Kind == IoKind.Sync) / (double)transactions,
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

    private static string Trace(string order, string traces)
    {
        string self = Environment.ProcessPath!;
        ProcessStartInfo start = new(Tracer)
        {
            RedirectStandardOutput = true,
            ArgumentList =
            {
                "-ff", "-ttt", "-y", "-s", "16", "-e", "trace=" + IoTrace.Calls, "-e", "signal=none", "-o", Path.Combine(traces, "t"), self,
            },
            Environment = { [IoChild.Variable] = order },
        };
        if (Path.GetFileNameWithoutExtension(self) == "dotnet")
        {
            start.ArgumentList.Add(typeof(IoRun).Assembly.Location);
        }

        using Process? process = Start(start);
        if (process is null)
        {
            return string.Empty;
        }

        Task<string> output = process.StandardOutput.ReadToEndAsync();
        if (!process.WaitForExit(TimeSpan.FromMinutes(MostMinutes)))
        {
            process.Kill(entireProcessTree: true);
        }

        return output.GetAwaiter().GetResult();
    }

    /// <summary>Null when the system does not let it start.</summary>
    private static Process? Start(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start);
        }
        catch (Win32Exception)
        {
            return null;
        }
    }

    private static double DeviceBytesIn(string output)
    {
        const string Word = "device bytes ";
        int place = output.LastIndexOf(Word, StringComparison.Ordinal);
        return place < 0 ? 0 : double.Parse(output.AsSpan(place + Word.Length).Trim(), NumberStyles.None, CultureInfo.InvariantCulture);
    }
}
