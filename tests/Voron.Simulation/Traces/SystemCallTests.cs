using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using FluentAssertions;
using Xunit;

namespace Voron.Simulation.Traces;

/// <summary>
/// What a commit asks of the operating system, seen from outside: one write and no sync on the commit chunk's descriptor, roll-over
/// included.
/// </summary>
public partial class SystemCallTests
{
    private const int Transactions = 600;

    [Theory]
    [Trait("Lane", "Trace")]
    [InlineData("rnd")]
    [InlineData("seq")]
    public void A_durable_commit_is_one_write_and_no_sync(string order)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed: apt-get install strace");
        string folder = Directory.CreateTempSubdirectory("voron-trace-").FullName;
        try
        {
            string trace = Path.Combine(folder, "trace.txt");
            long[] counters = RunUnderTrace(trace, Path.Combine(folder, "db"), order);
            string[] lines = File.ReadAllLines(trace);
            List<long> writes = [.. lines.Select(line => CommitWrite().Match(line)).Where(match => match.Success)
                .Select(match => long.Parse(match.Groups["bytes"].Value, CultureInfo.InvariantCulture))];
            writes.Should().HaveCount(Transactions, "each commit is one write on a commit chunk");
            writes.Should().OnlyContain(bytes => bytes <= 16 << 10);
            lines.Should().NotContain(line => CommitSync().IsMatch(line), "a durable commit asks for no sync");
            lines.Count(line => line.Contains(".commit", StringComparison.Ordinal) && line.Contains("rename", StringComparison.Ordinal))
                .Should().BeGreaterThan(2, "the run must have gone over to new chunks");
            counters[..4].Should().Equal(Transactions, Transactions, 0, writes.Sum());
            counters[4].Should().BePositive("a checkpoint must have run meanwhile");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static long[] RunUnderTrace(string trace, string database, string order)
    {
        string program = Path.Combine(AppContext.BaseDirectory, "Voron.CrashWriter.dll");
        ProcessStartInfo start = new("/usr/bin/strace")
        {
            RedirectStandardOutput = true,
            ArgumentList =
            {
                "-f", "-y", "-qq", "-o", trace,
                "-e", "trace=pwrite64,pwritev,io_submit,write,fsync,fdatasync,sync_file_range,rename,renameat,renameat2",
                "dotnet", program, database, order, Transactions.ToString(CultureInfo.InvariantCulture),
            },
        };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0);
        return [.. output.Trim().Split(' ').Select(number => long.Parse(number, CultureInfo.InvariantCulture))];
    }

    // 1234 pwrite64(56</tmp/…/journal/0000000000000001.commit>, "…"..., 12288, 4096) = 12288
    // 1234 io_submit(0x7f…, 1, [{… aio_fildes=56</tmp/…/0000000000000001.commit>, aio_buf="…"..., aio_nbytes=12288, aio_offset=4096}]) = 1
    [GeneratedRegex(@"pwrite\w*\(\d+<[^>]*\.commit>.*, (?<bytes>\d+), \d+\)?( = |\s+<unfinished)"
        + @"|io_submit\(.*aio_fildes=\d+<[^>]*\.commit>.*aio_nbytes=(?<bytes>\d+),")]
    private static partial Regex CommitWrite();

    [GeneratedRegex(@"(fsync|fdatasync|sync_file_range)\(\d+<[^>]*\.commit>")]
    private static partial Regex CommitSync();
}
