using System.Globalization;
using System.Text.RegularExpressions;

namespace Voron.Bench.Io;

/// <summary>
/// Reads traces as strace writes them, a file for each thread (-ff), with times (-ttt) and paths (-y). Where a write has no offset of its
/// own the file's position is followed: from 0 when it is opened, or from where lseek put it. A sync is a call that returns when the
/// device has what it is about; <c>sync_file_range</c> and an asynchronous <c>msync</c> only start writing, and are none.
/// </summary>
internal sealed partial class IoTrace
{
    internal const string BeginMark = "io begins";
    internal const string CommitMark = "io commit";
    internal const string EndMark = "io ends";

    /// <summary>The calls that must be in the trace.</summary>
    internal const string Calls =
        "write,pwrite64,writev,pwritev,pwritev2,io_submit,fsync,fdatasync,sync,syncfs,msync,lseek,openat,open,creat,close";

    /// <summary>
    /// Our file of locks: a word in it tells other processes, after the wait, what the device has. It is no data, and nothing waits for it.
    /// </summary>
    private const string LockFile = "/voron.lock";

    private readonly Dictionary<string, long> _positions = [];

    /// <summary>Descriptors, with their paths, that were opened so that every write to them waits for the device.</summary>
    private readonly HashSet<string> _through = [];
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

    /// <summary>
    /// The commits that returned between the marks, and those of them that did not wait for the device: no call of any thread did, or the
    /// thread that commits wrote something more after the last one.
    /// </summary>
    internal static (int Commits, int WithoutWait) CountCommits(IEnumerable<IoCall> calls)
    {
        int commits = 0;
        int withoutWait = 0;
        bool waited = false;
        foreach (IoCall call in calls)
        {
            waited = call.WaitsForDevice || (waited && (call.Kind != IoKind.Write || call.Thread != 0));
            if (call.Kind == IoKind.Commit)
            {
                commits++;
                withoutWait += waited ? 0 : 1;
                waited = false;
            }
        }

        return (commits, withoutWait);
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
        if (result < 0 || call.Groups["path"].Value.EndsWith(LockFile, StringComparison.Ordinal))
        {
            return;
        }

        string path = call.Groups["path"].Value;
        string rest = call.Groups["rest"].Value;
        bool isThrough = _through.Contains($"{call.Groups["descriptor"].Value}<{path}>");
        switch (call.Groups["name"].Value)
        {
            case "write" when rest.Contains(BeginMark, StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.Begin, string.Empty, 0, 0, _thread));
                break;
            case "write" when rest.Contains(CommitMark, StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.Commit, string.Empty, 0, 0, _thread));
                break;
            case "write" when rest.Contains(EndMark, StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.End, string.Empty, 0, 0, _thread));
                break;
            case "write" or "writev" when path.StartsWith('/'):
                long position = _positions.GetValueOrDefault(path);
                _calls.Add(new IoCall(seconds, IoKind.Write, path, position, result, _thread, isThrough));
                _positions[path] = position + result;
                break;
            case "pwrite64" or "pwritev":
                _calls.Add(new IoCall(seconds, IoKind.Write, path, OffsetIn(LastPattern(), rest), result, _thread, isThrough));
                break;
            case "pwritev2":
                isThrough |= SyncFlagPattern().IsMatch(rest);
                _calls.Add(
                    new IoCall(seconds, IoKind.Write, path, OffsetIn(LastButFlagsPattern(), rest), result, _thread, isThrough));
                break;
            case "lseek":
                _positions[path] = result;
                break;
            case "open" or "openat" or "creat":
                NoteOpened($"{result}<{call.Groups["opened"].Value}>", SyncFlagPattern().IsMatch(rest));
                break;
            case "fsync" or "fdatasync" or "sync" or "syncfs":
                _calls.Add(new IoCall(seconds, IoKind.Sync, path, 0, 0, _thread));
                break;
            case "msync" when rest.Contains("MS_SYNC", StringComparison.Ordinal):
                _calls.Add(new IoCall(seconds, IoKind.Sync, "map", 0, 0, _thread));
                break;
            case "io_submit":
                AddSubmitted(seconds, rest);
                break;
            default:
                break;
        }
    }

    private void NoteOpened(string descriptor, bool isThrough)
    {
        _ = isThrough ? _through.Add(descriptor) : _through.Remove(descriptor);
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
                _thread,
                _through.Contains($"{write.Groups["descriptor"].Value}<{write.Groups["path"].Value}>")
                    || SyncFlagPattern().IsMatch(write.Groups["flags"].Value)));
        }
    }

    private static long OffsetIn(Regex pattern, string arguments) =>
        long.Parse(pattern.Match(arguments).Groups["offset"].Value, CultureInfo.InvariantCulture);

    // 1732221.123456 pwrite64(5</tmp/a/data.mdb>, "..."..., 4096, 8192) = 4096
    [GeneratedRegex(
        @"^(?<time>\d+\.\d+) (?<name>\w+)\((?:(?<descriptor>\d+|AT_FDCWD)<(?<path>[^>]*)>)?(?<rest>.*)\)"
        + @"\s+= (?<result>-?\d+)(?:<(?<opened>[^>]*)>)?")]
    private static partial Regex CallPattern();

    // aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=5</tmp/a>, aio_buf="..."..., aio_nbytes=12288, aio_offset=4096
    [GeneratedRegex(
        @"(?:aio_rw_flags=(?<flags>[A-Z_|]+), )?aio_lio_opcode=\w*PWRITE[^}]*?aio_fildes=(?<descriptor>\d+)<(?<path>[^>]*)>"
        + @".*?aio_nbytes=(?<bytes>\d+), aio_offset=(?<offset>\d+)")]
    private static partial Regex SubmittedPattern();

    // O_SYNC, O_DSYNC, RWF_SYNC, RWF_DSYNC
    [GeneratedRegex(@"\b(?:O|RWF)_D?SYNC\b")]
    private static partial Regex SyncFlagPattern();

    [GeneratedRegex(@", (?<offset>\d+)$")]
    private static partial Regex LastPattern();

    [GeneratedRegex(@", (?<offset>\d+), [^,]+$")]
    private static partial Regex LastButFlagsPattern();
}
