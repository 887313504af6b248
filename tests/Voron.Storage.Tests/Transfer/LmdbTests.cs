using System.Diagnostics;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

/// <summary>Dumps go to the tools of LMDB and come back from them.</summary>
public sealed class LmdbTests : IDisposable
{
    private const string LoadProgram = "/usr/bin/mdb_load";
    private const string DumpProgram = "/usr/bin/mdb_dump";
    private const string Missing = "The tools of LMDB are those of Debian: apt-get install lmdb-utils.";

    private readonly TemporaryFolder _folder = new();

    private static bool ArePossible => !OperatingSystem.IsWindows() && File.Exists(LoadProgram) && File.Exists(DumpProgram);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Our_dump_goes_through_LMDB_and_comes_back_the_same(bool print)
    {
        Assert.SkipUnless(ArePossible, Missing);
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        Fill(source);
        byte[] dump = Dumps.Of(source, new DumpOptions { Print = print });
        LoadIntoLmdb(dump);
        byte[] theirs = DumpFromLmdb("-a");
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        LoadReport report = Dumps.Load(target, theirs);
        report.Warnings.Should().BeEmpty();
        Dumps.Entries(target).Should().Be(Dumps.Entries(source));
        Body(Dumps.Of(target, new DumpOptions { Print = print })).Should().Be(Body(dump));
        Body(theirs).Should().Be(Body(Dumps.Of(target)), "in both formats of the dump, LMDB has the same bytes");
    }

    [Fact]
    public void Values_that_waste_most_of_a_page_fit_into_the_map()
    {
        Assert.SkipUnless(ArePossible, Missing);
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = source.BeginWrite())
        {
            foreach (int bytes in (int[])[1, 100, 1000, 1500, 2040, 4090, 8200])
            {
                Tree tree = transaction.OpenTree($"of {bytes:d4}");
                for (int i = 0; i < 3000; i++)
                {
                    tree.Put(Encoding.ASCII.GetBytes($"{i * 7919 % 3001:d8}"), new byte[bytes]);
                }
            }

            transaction.Commit();
        }

        foreach (string name in (string[])["of 0001", "of 0100", "of 1000", "of 1500", "of 2040", "of 4090", "of 8200"])
        {
            Directory.Delete(Lmdb, recursive: true);
            LoadIntoLmdb(Dumps.Of(source, new DumpOptions { Tree = name }));
        }
    }

    [Fact]
    public void A_printed_dump_of_LMDB_loses_nothing_if_it_has_no_backslash()
    {
        Assert.SkipUnless(ArePossible, Missing);
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        Fill(source, backslashes: false);
        LoadIntoLmdb(Dumps.Of(source));
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        Dumps.Load(target, DumpFromLmdb("-a", "-p")).Warnings.Should().BeEmpty();
        Dumps.Entries(target).Should().Be(Dumps.Entries(source));
    }

    [Fact]
    public void The_main_database_goes_to_a_named_tree_without_the_records_of_the_others()
    {
        Assert.SkipUnless(ArePossible, Missing);
        LoadIntoLmdb(Encoding.ASCII.GetBytes("VERSION=3\ntype=btree\nHEADER=END\n 61\n 62\nDATA=END\n"));
        LoadIntoLmdb(Encoding.ASCII.GetBytes(
            "VERSION=3\ndatabase=inner\ntype=btree\ndupsort=1\nHEADER=END\n 63\n 64\n 63\n 65\nDATA=END\n"));
        byte[] dump = [.. DumpFromLmdb(), .. DumpFromLmdb("-s", "inner")];
        Encoding.ASCII.GetString(dump).Should().Contain("dupsort=1").And.Contain(" 696e6e6572\n");
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        LoadReport report = Dumps.Load(target, dump, new LoadOptions { Tree = "main" });
        report.SubDatabaseRecords.Should().Be(1);
        Dumps.Entries(target, "main").Should().Be("61=62");
        using ReadTransaction read = target.BeginRead();
        ReadMultiTree inner = read.OpenMultiTree("inner");
        (inner.Count, inner.Contains("c"u8, "d"u8), inner.Contains("c"u8, "e"u8)).Should().Be((2, true, true));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Sorted_values_go_through_LMDB_and_come_back_the_same(bool print)
    {
        Assert.SkipUnless(ArePossible, Missing);
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        PairSample.Change(source, 6, 4000);
        LoadIntoLmdb(Dumps.Of(source, new DumpOptions { Print = print, Tree = PairSample.Any, Strict = true }));
        LoadIntoLmdb(Dumps.Of(source, new DumpOptions { Print = print, Tree = PairSample.Fixed, Strict = true }));
        byte[] theirs = DumpFromLmdb("-a");
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        Dumps.Load(target, theirs).Warnings.Should().BeEmpty();
        Dumps.Load(target, Dumps.Of(source, new DumpOptions { Tree = "unused" }));
        PairSample.Text(target).Should().Be(PairSample.Text(source));
    }

    private string Lmdb => Directory.CreateDirectory(Path.Combine(_folder.Path, "lmdb")).FullName;

    private static void Fill(StorageEnvironment environment, bool backslashes = true)
    {
        Random random = new(7);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("bytes");
        for (int i = 0; i < 2000; i++)
        {
            byte[] key = new byte[random.Next(1, 512)];
            byte[] value = new byte[random.Next(i % 100 == 0 ? 100_000 : 200)];
            random.NextBytes(key);
            random.NextBytes(value);
            if (!backslashes)
            {
                key.AsSpan().Replace((byte)'\\', (byte)'/');
                value.AsSpan().Replace((byte)'\\', (byte)'/');
            }

            tree.Put(key, value);
        }

        transaction.OpenTree("ünï").Put("key"u8, "wörth"u8);
        transaction.OpenTree("empty");
        transaction.Commit();
    }

    /// <summary>Without the header lines in which the stores differ.</summary>
    private static string Body(byte[] dump) => string.Join('\n', Encoding.UTF8.GetString(dump).Split('\n').Where(static line =>
        !line.StartsWith("mapsize=", StringComparison.Ordinal) && !line.StartsWith("maxreaders=", StringComparison.Ordinal)
            && !line.StartsWith("db_pagesize=", StringComparison.Ordinal)));

    private void LoadIntoLmdb(byte[] dump)
    {
        string file = Path.Combine(_folder.Path, "dump");
        File.WriteAllBytes(file, dump);
        Run(LoadProgram, "-f", file, Lmdb);
    }

    private byte[] DumpFromLmdb(params string[] options) => Run(DumpProgram, [.. options, Lmdb]);

    private static byte[] Run(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        Task<string> complaint = process.StandardError.ReadToEndAsync();
        using MemoryStream output = new();
        process.StandardOutput.BaseStream.CopyTo(output);
        process.WaitForExit();
        process.ExitCode.Should().Be(0, "it said '{0}'", complaint.GetAwaiter().GetResult());
        return output.ToArray();
    }
}
