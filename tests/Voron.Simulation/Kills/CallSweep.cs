using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using FluentAssertions;
using Voron.CrashWriter;

namespace Voron.Simulation.Kills;

/// <summary>
/// Runs a short life of the writing process under strace, which kills it at its n-th system call of a kind or lets that call fail. Only
/// calls on the database's own files count, so n means the same in every run.
/// </summary>
internal sealed partial class CallSweep(string folder, string workload, ulong seed) : IDisposable
{
    private const string Tracer = "/usr/bin/strace";
    private const string Changing = "pwrite64,fsync,fdatasync,renameat,fallocate,ftruncate,unlinkat,mkdirat";
    private readonly string _template = Path.Combine(folder, "template");
    private readonly string _database = Path.Combine(folder, "db");
    private long _inTemplate;

    internal static bool IsPossible => OperatingSystem.IsLinux() && File.Exists(Tracer);

    /// <summary>The calls of the life when nothing is done to it: kind and how many of them.</summary>
    internal SortedDictionary<string, int> Calls { get; private set; } = [];

    /// <summary>Makes what the life begins with, and counts its calls.</summary>
    internal void Prepare()
    {
        if (workload != "create")
        {
            _inTemplate = Run([], _template, "leave").Acknowledged;
        }

        string trace = Path.Combine(folder, "trace.txt");
        Reset();
        (int code, _, string said) = Run(["-o", trace, "-e", $"trace={Changing},openat,pread64,fcntl,mmap"], _database, workload);
        code.Should().Be(0, said);

        // The engine runs on one thread here; the few calls of another one that prepares a chunk are left out.
        var lines = File.ReadLines(trace).Select(static line => TracedCall().Match(line)).Where(static match => match.Success)
            .GroupBy(static match => match.Groups["thread"].Value).MaxBy(static group => group.Count())!;
        Calls = new SortedDictionary<string, int>(
            lines.GroupBy(static match => match.Groups["call"].Value)
                .ToDictionary(static group => group.Key, static group => group.Count()),
            StringComparer.Ordinal);
    }

    /// <summary>Calls that change files; at each of them a kill makes sense.</summary>
    internal IEnumerable<(string Call, int Count)> ChangingCalls() =>
        Calls.Where(static pair => Changing.Split(',').Contains(pair.Key)).Select(static pair => (pair.Key, pair.Value));

    /// <summary>Kills the process where its n-th call of the kind would begin.</summary>
    internal void KillAt(string call, int n)
    {
        Reset();
        (int code, long acknowledged, string said) = Run(["-e", $"inject={call}:signal=KILL:when={n}"], _database, workload);
        string where = $"{workload}, killed at {call} {n}, seed {seed}";
        code.Should().Be(137, "it was killed ({0}): {1}", where, said);
        Verify(acknowledged, where);
    }

    /// <summary>Lets the n-th call of the kind fail. The life ends well or with one of the engine's own errors, never otherwise.</summary>
    internal void FailAt(string call, int n, string error)
    {
        Reset();
        (int code, long acknowledged, string said) = Run(["-e", $"inject={call}:error={error}:when={n}"], _database, workload);
        string where = $"{workload}, {call} {n} failed with {error}, seed {seed}";
        bool mustGoOn = error == "EINTR" && call is "pwrite64" or "pread64" or "fdatasync" or "fsync" or "fallocate";
        code.Should().BeOneOf(mustGoOn ? [0] : [0, CrashWorkload.TypedError], "({0}) it said: {1}", where, said);
        Verify(acknowledged, where);
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    // 1234 pwrite64(41, …
    [GeneratedRegex(@"^(?<thread>\d+) +(?<call>\w+)\(")]
    private static partial Regex TracedCall();

    private void Verify(long acknowledged, string where)
    {
        ScriptModel model = new(seed);
        if (_inTemplate > 0)
        {
            model.AdvanceTo(_inTemplate);
        }

        model.Verify(_database, Math.Max(acknowledged, _inTemplate), where);
    }

    private void Reset()
    {
        if (Directory.Exists(_database))
        {
            Directory.Delete(_database, recursive: true);
        }

        if (Directory.Exists(_template))
        {
            Directory.CreateDirectory(Path.Combine(_database, "journal"));
            foreach (string file in Directory.EnumerateFiles(_template, "*", SearchOption.AllDirectories))
            {
                File.Copy(file, Path.Combine(_database, Path.GetRelativePath(_template, file)));
            }
        }
    }

    private (int Code, long Acknowledged, string Said) Run(string[] tracing, string database, string name)
    {
        List<string> arguments = [typeof(CrashWorkload).Assembly.Location, database, name, seed.ToString(CultureInfo.InvariantCulture)];
        if (tracing.Length > 0)
        {
            string[] log = tracing.Contains("-o") ? [] : ["-o", "/dev/null"];
            arguments = ["-f", "-qq", .. tracing, .. log, .. Files(), "dotnet", .. arguments];
        }

        ProcessStartInfo start = new(tracing.Length > 0 ? Tracer : "dotnet", arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["DOTNET_EnableDiagnostics"] = "0", ["DOTNET_EnableWriteXorExecute"] = "0", ["DOTNET_TieredPGO"] = "0" },
        };
        using Process process = Process.Start(start)!;
        MessageReader reader = new(process.StandardOutput.BaseStream);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        reader.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, reader.Acknowledged, errors.Result);
    }

    /// <summary>Every path that the life can touch: strace takes them one by one.</summary>
    private IEnumerable<string> Files()
    {
        List<string> paths = ["", "data.voron", "data.voron.new", "voron.lock", "journal"];
        for (int i = 1; i <= 12; i++)
        {
            paths.AddRange(
                [$"journal/{i:D16}.commit", $"journal/{i:D16}.pages", $"journal/spare-c{i:D16}.chunk", $"journal/spare-p{i:D16}.chunk"]);
        }

        return paths.SelectMany(path => (string[])["-P", Path.TrimEndingDirectorySeparator(Path.Combine(_database, path))]);
    }
}
