using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Voron.Bench.Io;

/// <summary>Starts this program again as a process that commits: under a trace of its system calls, or alone.</summary>
internal static class IoProcess
{
    private const string Tracer = "/usr/bin/strace";
    private const int MostMinutes = 5;

    /// <summary>Null when calls can be traced here; else the command that helps.</summary>
    internal static string? InstallLine => File.Exists(Tracer) ? null : "apt-get install strace";

    /// <summary>The calls of the commits that count; null when the system did not let them be traced to their end.</summary>
    internal static List<IoCall>? Trace(IoChild child)
    {
        string traces = child.Folder + "-traces";
        Directory.CreateDirectory(traces);
        string[] tracer =
        [
            Tracer, "-ff", "--seccomp-bpf", "-ttt", "-y", "-s", "16", "-e", "trace=" + IoTrace.Calls, "-e", "signal=none",
            "-o", Path.Combine(traces, "t"),
        ];
        string output = OutputOf([.. tracer, .. OwnProgram.Command], child);
        List<IoCall> calls = IoTrace.Parse(Directory.GetFiles(traces).Select(File.ReadLines));
        Directory.Delete(traces, recursive: true);
        return output.Contains(IoTrace.EndMark, StringComparison.Ordinal) && calls.Count > 0 ? calls : null;
    }

    /// <summary>What the block device wrote during the commits that count; null where no device is known.</summary>
    internal static double? DeviceBytesOf(IoChild child)
    {
        string output = OutputOf(OwnProgram.Command, child with { CountsDevice = true });
        string? line = output.Split('\n').FirstOrDefault(static line => line.StartsWith(IoChild.DeviceWord, StringComparison.Ordinal));
        return line is null ? null : double.Parse(line.AsSpan(IoChild.DeviceWord.Length), NumberStyles.None, CultureInfo.InvariantCulture);
    }

    private static string OutputOf(IReadOnlyList<string> command, IoChild child)
    {
        try
        {
            using Process process = Process.Start(OwnProgram.StartOf(command, IoChild.Variable, child.ToText()))!;
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            if (!process.WaitForExit(TimeSpan.FromMinutes(MostMinutes)))
            {
                process.Kill(entireProcessTree: true);
            }

            return output.GetAwaiter().GetResult();
        }
        catch (Win32Exception)
        {
            // The system does not let it start; the row says that nothing was traced.
            return string.Empty;
        }
    }
}
