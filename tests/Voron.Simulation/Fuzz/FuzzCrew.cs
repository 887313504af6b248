using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Worker processes, one a processor, that share a range of file sets. One that dies, or that stays with one set for long, is a finding,
/// and the next one goes on behind that set.
/// </summary>
internal sealed class FuzzCrew(ulong first, int count)
{
    /// <summary>Of processor time; a set needs milliseconds.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <summary>A worker that waits for something needs no processor and waits for ever.</summary>
    private static readonly TimeSpan LongPatience = TimeSpan.FromMinutes(3);

    private readonly Lock _gate = new();
    private readonly List<string> _findings = [];

    internal FuzzTally Tally { get; } = new();

    internal IReadOnlyList<string> Findings => _findings;

    /// <summary>What replays one set; the finding's text has its number.</summary>
    internal static string CommandFor(ulong number) =>
        $"{FuzzTests.Variable}={number} dotnet test tests/Voron.Simulation -c Release "
        + "--filter FullyQualifiedName~FuzzTests.A_given_file_set";

    internal void Run()
    {
        int workers = Math.Max(1, Environment.ProcessorCount);
        ulong share = ((ulong)count + (ulong)workers - 1) / (ulong)workers;
        ulong end = first + (ulong)count;
        Thread[] threads = [.. Enumerable.Range(0, workers).Select(worker =>
        {
            ulong from = Math.Min(end, first + ((ulong)worker * share));
            return new Thread(() => RunRange(from, Math.Min(end, from + share)));
        })];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => thread.Join());
    }

    private void RunRange(ulong from, ulong end)
    {
        try
        {
            while (from < end)
            {
                from = RunWorker(from, end);
            }
        }
        catch (Exception error)
        {
            // On a thread of its own it would end the process of the tests, or leave them waiting for it.
            lock (_gate)
            {
                Add(from, $"the crew failed: {error}");
            }
        }
    }

    /// <summary>Gives the first set that was not tried.</summary>
    private ulong RunWorker(ulong from, ulong end)
    {
        using Process process = Start(from, end);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        ulong current = from;
        string counts = string.Empty;
        TimeSpan since = TimeSpan.Zero;
        long said = Stopwatch.GetTimestamp();
        Task<string?> line = process.StandardOutput.ReadLineAsync();
        bool isStuck = false;
        while (!isStuck)
        {
            if (!line.Wait(TimeSpan.FromSeconds(1)))
            {
                isStuck = ProcessorTime(process, since) - since > Patience || Stopwatch.GetElapsedTime(said) > LongPatience;
                continue;
            }

            if (line.Result is not { Length: > 0 } text)
            {
                break;
            }

            said = Stopwatch.GetTimestamp();
            since = ProcessorTime(process, since);
            current = text[0] == '?' ? ulong.Parse(text.AsSpan(1), CultureInfo.InvariantCulture) : current;
            counts = text[0] == '=' ? text[1..] : counts;
            Note(text);
            line = process.StandardOutput.ReadLineAsync();
        }

        return End(process, isStuck, current, end, counts, errors);
    }

    private ulong End(Process process, bool isStuck, ulong current, ulong end, string counts, Task<string> errors)
    {
        if (isStuck)
        {
            process.Kill();
        }

        process.WaitForExit();
        lock (_gate)
        {
            if (counts.Length > 0)
            {
                Tally.Add(FuzzTally.Parse(counts));
            }

            if (isStuck)
            {
                Add(current, "the worker did not come to an end with it");
            }
            else if (process.ExitCode != 0)
            {
                string said = errors.Result;
                Add(current, $"the worker died with exit code {process.ExitCode}: {said[..Math.Min(said.Length, 3000)]}");
            }
            else
            {
                return end;
            }

            return current + 1;
        }
    }

    /// <summary>What a process has used, or what is known of one that has ended meanwhile.</summary>
    private static TimeSpan ProcessorTime(Process process, TimeSpan known)
    {
        try
        {
            return process.TotalProcessorTime;
        }
        catch (Exception error) when (error is InvalidOperationException or Win32Exception)
        {
            return known;
        }
    }

    private void Note(string text)
    {
        if (text[0] == '!')
        {
            int space = text.IndexOf(' ');
            lock (_gate)
            {
                Add(ulong.Parse(text.AsSpan(1, space - 1), CultureInfo.InvariantCulture), text[(space + 1)..]);
            }
        }
    }

    private void Add(ulong number, string what) =>
        _findings.Add($"file set {number}: {what.Replace(" | ", "\n", StringComparison.Ordinal)}\n{CommandFor(number)}");

    private static Process Start(ulong from, ulong end)
    {
        ProcessStartInfo start = new("dotnet")
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
            ArgumentList =
            {
                typeof(FuzzWorker).Assembly.Location, FuzzWorker.Word,
                from.ToString(CultureInfo.InvariantCulture), end.ToString(CultureInfo.InvariantCulture),
            },
        };

        // What is asked of the heap without bounds is refused long before the machine is out of memory.
        start.Environment["DOTNET_GCHeapHardLimit"] = "0x50000000";
        start.Environment["DOTNET_gcServer"] = "0";
        start.Environment["DOTNET_TieredPGO"] = "0";
        return Process.Start(start)!;
    }
}
