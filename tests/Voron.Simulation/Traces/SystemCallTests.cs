using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using FluentAssertions;
using Voron.Storage;
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
            long[] counters = RunUnderTrace(
                trace,
                "pwrite64,pwritev,io_submit,write,fsync,fdatasync,sync_file_range,rename,renameat,renameat2",
                Path.Combine(folder, "db"),
                order,
                Transactions.ToString(CultureInfo.InvariantCulture));
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

    [Fact]
    [Trait("Lane", "Trace")]
    public void A_read_only_open_asks_for_no_write_no_sync_and_no_new_name()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed: apt-get install strace");
        string folder = Directory.CreateTempSubdirectory("voron-trace-").FullName;
        try
        {
            string database = Path.Combine(folder, "db");
            StorageEnvironment killed = StorageEnvironment.Open(database);
            for (int i = 0; i < 2; i++)
            {
                using (WriteTransaction transaction = killed.BeginWrite())
                {
                    transaction.OpenTree("data").Put([(byte)i], new byte[100]);
                    transaction.Commit();
                }

                killed.Checkpoint();
            }

            using (WriteTransaction transaction = killed.BeginWrite())
            {
                transaction.OpenTree("data").Put("journal"u8, new byte[100]);
                transaction.Commit();
            }

            killed.Database.Abandon();
            string trace = Path.Combine(folder, "trace.txt");
            RunUnderTrace(trace, "all", database, "read").Should().Equal(3);
            string[] lines = [.. File.ReadAllLines(trace).Where(line =>
                line.Contains(database, StringComparison.Ordinal) && !line.Contains("voron.lock", StringComparison.Ordinal))];
            lines.Should().Contain(static line => line.Contains("data.voron", StringComparison.Ordinal));
            lines.Should().NotContain(static line => Change().IsMatch(line));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static long[] RunUnderTrace(string trace, string calls, params string[] arguments)
    {
        string program = Path.Combine(AppContext.BaseDirectory, "Voron.CrashWriter.dll");
        ProcessStartInfo start = new("/usr/bin/strace")
        {
            RedirectStandardOutput = true,
            ArgumentList = { "-f", "-y", "-qq", "-o", trace, "-e", "trace=" + calls, "dotnet", program },
        };
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0);
        return [.. output.Trim().Split(' ').Select(number => long.Parse(number, CultureInfo.InvariantCulture))];
    }

    // Calls that change something, by name, and opens that could: of any of them only those that name the database are looked at.
    [GeneratedRegex(@"^\d+ +(pwrite|io_submit|write|fsync|fdatasync|sync|msync|ftruncate|fallocate|rename|unlink|mkdir|link"
        + @"|symlink|chmod|utime)"
        + @"|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|PROT_WRITE[^)]*MAP_SHARED")]
    private static partial Regex Change();

    // 1234 pwrite64(56</tmp/…/journal/0000000000000001.commit>, "…"..., 12288, 4096) = 12288
    // 1234 io_submit(0x7f…, 1, [{… aio_fildes=56</tmp/…/0000000000000001.commit>, aio_buf="…"..., aio_nbytes=12288, aio_offset=4096}]) = 1
    [GeneratedRegex(@"pwrite\w*\(\d+<[^>]*\.commit>.*, (?<bytes>\d+), \d+\)?( = |\s+<unfinished)"
        + @"|io_submit\(.*aio_fildes=\d+<[^>]*\.commit>.*aio_nbytes=(?<bytes>\d+),")]
    private static partial Regex CommitWrite();

    [GeneratedRegex(@"(fsync|fdatasync|sync_file_range)\(\d+<[^>]*\.commit>")]
    private static partial Regex CommitSync();
}
