using System.Diagnostics;
using System.Globalization;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Blocks;

/// <summary>
/// A closed database on a file system on which one sector cannot be read, which is how a disk fails most often: whatever is done with it
/// ends with an answer, in a process of its own that must not die, and a salvage loses the rows of that page alone.
/// </summary>
[Trait("Lane", "Blocks")]
public class UnreadableFileTests(ITestOutputHelper output)
{
    /// <summary>The first argument of the process that looks at the database.</summary>
    internal const string Word = "unreadable";

    private const int Rows = 20_000;
    private const int MostRowsOfPage = 64;

    [Theory]
    [InlineData("/data.voron", 409_600, true)]
    [InlineData("/data.voron", 0, false)]
    [InlineData("/data.voron", 4096, false)]
    [InlineData("/0000000000000001.commit", 0, false)]
    [InlineData("/0000000000000001.commit", 4096, false)]
    [InlineData("/0000000000000001.commit", 40_960, false)]
    [InlineData("/0000000000000001.pages", 8192, false)]
    public void One_sector_costs_what_is_in_it_and_no_process(string name, long offset, bool isPage)
    {
        Assert.SkipUnless(BlockTools.ArePossible, BlockTools.Missing);
        using BlockWorkspace workspace = new();
        string database = workspace.PathOf("database");
        Fill(database);
        string point = workspace.DirectoryOf("view");
        using Process view = Process.Start(new ProcessStartInfo(BlockTools.Compiled("unreadable-files"),
            [database, point, name, offset.ToString(CultureInfo.InvariantCulture)]))!;
        try
        {
            SpinWait.SpinUntil(() => view.HasExited || File.Exists(point + "/data.voron"), TimeSpan.FromSeconds(30)).Should().BeTrue();
            string scanned = Look("scan", point), found = Look("check", point), scrubbed = Look("scrub", point);
            string salvaged = Look("salvage", point, workspace.PathOf("salvaged"));
            output.WriteLine(string.Join(Environment.NewLine, scanned, found, scrubbed, salvaged));
            scanned.Should().Be(isPage ? $"StorageIOException, page {offset / 4096}" : $"rows {Rows}");
            found.Should().Be(isPage ? "findings 1" : "findings 0");
            scrubbed.Should().Be(isPage ? "findings 1" : "findings 0");
            long least = isPage ? Rows - MostRowsOfPage : Rows;
            long.Parse(salvaged.Split(' ')[1], CultureInfo.InvariantCulture).Should().BeInRange(least, isPage ? Rows - 1 : Rows);
        }
        finally
        {
            BlockTools.Unmount(point);
            view.WaitForExit();
        }
    }

    /// <summary>The process: whatever it finds is one line, and the exit code is 0.</summary>
    internal static int Run(string[] arguments)
    {
        string said;
        try
        {
            said = Answer(arguments);
        }
        catch (StorageIOException error)
        {
            said = $"{nameof(StorageIOException)}, page {error.PageNumber}";
        }
        catch (StorageException error)
        {
            said = $"{error.GetType().Name}: {error.Message}";
        }

        Console.WriteLine(said);
        return 0;
    }

    private static string Answer(string[] arguments)
    {
        if (arguments is ["salvage", string from, string to])
        {
            return $"rows {StorageSalvage.Copy(from, to).Entries}";
        }

        using StorageEnvironment environment = StorageEnvironment.Open(arguments[1], new StorageOptions { ReadOnly = true });
        if (arguments[0] != "scan")
        {
            return $"findings {(arguments[0] == "check" ? environment.Check() : environment.Check(1L << 30)).Findings.Count}";
        }

        using ReadTransaction read = environment.BeginRead();
        int rows = 0;
        foreach (TreeEntry _ in read.OpenTree("rows"))
        {
            rows++;
        }

        return $"rows {rows}";
    }

    private static string Look(params string[] arguments)
    {
        string host = Environment.ProcessPath!;
        bool isBare = Path.GetFileNameWithoutExtension(host) != "dotnet";
        string[] program = isBare ? [Word] : [typeof(UnreadableFileTests).Assembly.Location, Word];
        ProcessStartInfo start = new(host, [.. program, .. arguments]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0, "{0} must not end the process; it said: {1}", arguments[0], said);
        return said.Trim();
    }

    private static void Fill(string folder)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { PageSize = 4096 });
        using WriteTransaction write = environment.BeginWrite();
        Tree tree = write.OpenTree("rows");
        byte[] key = new byte[4];
        byte[] value = new byte[100];
        for (int i = 0; i < Rows; i++)
        {
            System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(key, i);
            tree.Put(key, value);
        }

        write.Commit();
    }
}
