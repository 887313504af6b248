using System.Globalization;
using System.Text.RegularExpressions;

namespace Voron.Bench.Io;

/// <summary>
/// Reads traces as strace writes them, a file for each thread (-ff), with times (-ttt) and paths (-y). Where a write has no offset of its
/// own the file's position is followed: from 0 when it is opened, or from where lseek put it.
/// </summary>
internal sealed partial class IoTrace
{
    internal const string BeginMark = "io begins";
    internal const string EndMark = "io ends";

    /// <summary>The calls that must be in the trace.</summary>
    internal const string Calls =
        "write,pwrite64,writev,pwritev,pwritev2,io_submit,fsync,fdatasync,msync,sync_file_range,lseek,openat,open,creat,close";

    private readonly Dictionary<string, long> _positions = [];
    private readonly List<IoCall> _calls = [];
    private int _thread;

    private IoTrace()
    {
    }

    /// <summary>
    /// The calls between the two marks, in the order of their times; those of the thread that made the marks have the number 0.
    /// </summary>
    /// <param name="threads">The lines of each thread.</param>
    internal static List<IoCall> Parse(IEnumerable<IEnumerable<string>> threads)
    {
        IoTrace trace = new();
        foreach ((int thread, string line) in threads
            .SelectMany(static (lines, thread) => lines.Select(line => (Thread: thread, Line: line)))
            .OrderBy(static entry => SecondsOf(entry.Line)))
        {
            trace._thread = thread;
            trace.Add(line);
        }

        List<IoCall> calls = trace._calls;
        int begin = calls.FindIndex(static call => call.Kind == IoKind.Begin);
        int end = calls.FindIndex(static call => call.Kind == IoKind.End);
        return begin < 0 || end < begin
            ? []
            : [.. calls[(begin + 1)..end].Select(call => call with { Thread = call.Thread == calls[begin].Thread ? 0 : call.Thread + 1 })];
    }

    /// <summary>Writes that did not begin where the write before, of whatever file, ended.</summary>
    internal static int CountSeeks(IEnumerable<IoCall> calls)
    {
        int seeks = 0;
        (string Path, long Offset)? expected = null;
        foreach (IoCall write in calls.Where(static call => call.Kind == IoKind.Write))
        {
            seeks += expected is { } place && place != (write.Path, write.Offset) ? 1 : 0;
            expected = (write.Path, write.Offset + write.Bytes);
        }

        return seeks;
    }

    private static double SecondsOf(string line)
    {
        int space = line.IndexOf(' ', StringComparison.Ordinal);
        return space > 0 && double.TryParse(line.AsSpan(0, space), NumberStyles.Float, CultureInfo.InvariantCulture, out double seconds)
            ? seconds
            : 0;
    }

    private void Add(string line)
    {
        Match call = CallPattern().Match(line);
        if (!call.Success)
        {
            return;
        }

        double seconds = double.Parse(call.Groups["time"].Value, CultureInfo.InvariantCulture);
        long result = long.Parse(call.Groups["result"].Value, CultureInfo.InvariantCulture);
        if (result < 0)
        {
            return;
        }

        string path = call.Groups["path"].Value;
        string rest = call.Groups["rest"].Value;
        switch (call.Groups["name"].Value)
        {
            case "write" when rest.Contains(BeginMark, StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.Begin, string.Empty, 0, 0, _thread));
                break;
            case "write" when rest.Contains(EndMark, StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.End, string.Empty, 0, 0, _thread));
                break;
            case "write" or "writev" when path.StartsWith('/'):
                long position = _positions.GetValueOrDefault(path);
                _calls.Add(new IoCall(seconds, IoKind.Write, path, position, result, _thread));
                _positions[path] = position + result;
                break;
            case "pwrite64" or "pwritev":
                _calls.Add(new IoCall(seconds, IoKind.Write, path, OffsetIn(LastPattern(), rest), result, _thread));
                break;
            case "pwritev2":
                _calls.Add(new IoCall(seconds, IoKind.Write, path, OffsetIn(LastButFlagsPattern(), rest), result, _thread));
                break;
            case "lseek":
                _positions[path] = result;
                break;
            case "fsync" or "fdatasync" or "sync_file_range":
                _calls.Add(new IoCall(seconds, IoKind.Sync, path, 0, 0, _thread));
                break;
            case "msync":
                _calls.Add(new IoCall(seconds, IoKind.Sync, "map", 0, 0, _thread));
                break;
            case "io_submit":
                AddSubmitted(seconds, rest);
                break;
            default:
                break;
        }
    }

    private void AddSubmitted(double seconds, string rest)
    {
        foreach (Match write in SubmittedPattern().Matches(rest))
        {
            _calls.Add(new IoCall(
                seconds,
                IoKind.Write,
                write.Groups["path"].Value,
                long.Parse(write.Groups["offset"].Value, CultureInfo.InvariantCulture),
                long.Parse(write.Groups["bytes"].Value, CultureInfo.InvariantCulture),
                _thread));
        }
    }

    private static long OffsetIn(Regex pattern, string arguments) =>
        long.Parse(pattern.Match(arguments).Groups["offset"].Value, CultureInfo.InvariantCulture);

    // 1732221.123456 pwrite64(5</tmp/a/data.mdb>, "..."..., 4096, 8192) = 4096
    [GeneratedRegex(@"^(?<time>\d+\.\d+) (?<name>\w+)\((?:(?:\d+|AT_FDCWD)<(?<path>[^>]*)>)?(?<rest>.*)\)\s+= (?<result>-?\d+)")]
    private static partial Regex CallPattern();

    // aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=5</tmp/a>, aio_buf="..."..., aio_nbytes=12288, aio_offset=4096
    [GeneratedRegex(@"PWRITE[^}]*?aio_fildes=\d+<(?<path>[^>]*)>.*?aio_nbytes=(?<bytes>\d+), aio_offset=(?<offset>\d+)")]
    private static partial Regex SubmittedPattern();

    [GeneratedRegex(@", (?<offset>\d+)$")]
    private static partial Regex LastPattern();

    [GeneratedRegex(@", (?<offset>\d+), [^,]+$")]
    private static partial Regex LastButFlagsPattern();
}
