using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

public class DumpTests
{
    [Fact]
    public void A_dump_is_what_mdb_dump_prints()
    {
        using StorageEnvironment environment = Small();
        Dumps.TextOf(environment).Should().Be(
            """
            VERSION=3
            format=bytevalue
            database=empty
            type=btree
            mapsize=1048576
            db_pagesize=8192
            HEADER=END
            DATA=END
            VERSION=3
            format=bytevalue
            database=letters
            type=btree
            mapsize=1048576
            db_pagesize=8192
            HEADER=END
             61
             0001ff
             625c
             20c3a42041
            DATA=END

            """);
        Dumps.TextOf(environment, new DumpOptions { Tree = "letters", Print = true }).Should().Be(
            """
            VERSION=3
            format=print
            database=letters
            type=btree
            mapsize=1048576
            db_pagesize=8192
            HEADER=END
             a
             \00\01\ff
             b\5c
              \c3\a4 A
            DATA=END

            """);
    }

    [Theory]
    [InlineData(4096, false, 4096)]
    [InlineData(4096, true, 1)]
    [InlineData(8192, true, 4096)]
    [InlineData(65536, false, 7)]
    public void What_is_dumped_and_loaded_is_the_same(int pageBytes, bool print, int blockBytes)
    {
        using StorageEnvironment source = Mixed(pageBytes);
        byte[] dump = Dumps.Of(source, new DumpOptions { Print = print });
        using StorageEnvironment target = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        LoadReport report = Dumps.Load(target, dump, blockBytes: blockBytes);
        Dumps.Entries(target).Should().Be(Dumps.Entries(source));
        using ReadTransaction transaction = source.BeginRead();
        report.Sections.Should().Be(transaction.TreeNames.Count);
        report.Entries.Should().Be(transaction.TreeNameBytes.Sum(name => transaction.OpenTree(name).Count));
        report.Warnings.Should().BeEmpty();
        report.TransactionId.Should().Be(1);
        target.Check().Findings.Should().BeEmpty();
        byte[] again = Dumps.Of(target, new DumpOptions { Print = print });
        WithoutMapSize(again).Should().Be(WithoutMapSize(dump));
    }

    [Fact]
    public async Task A_dump_reads_one_snapshot_beside_writers()
    {
        using StorageEnvironment environment = Mixed(4096);
        string before = WithoutMapSize(Dumps.Of(environment));
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 4096, resumeWriterThreshold: 2048));
        Task<DumpReport> dump = StorageDump.WriteAsync(environment, pipe.Writer).AsTask();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            foreach (byte[] name in transaction.TreeNameBytes)
            {
                transaction.DropTree(name);
            }

            transaction.Commit();
        }

        environment.Checkpoint();
        using MemoryStream stream = new();
        Task copy = pipe.Reader.CopyToAsync(stream);
        DumpReport report = await dump;
        pipe.Writer.Complete();
        await copy;
        WithoutMapSize(stream.ToArray()).Should().Be(before);
        report.Bytes.Should().Be(stream.Length);
        report.TransactionId.Should().Be(1);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void An_empty_database_is_a_section_without_entries_that_loads_as_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        byte[] dump = Dumps.Of(environment);
        Encoding.UTF8.GetString(dump).Should().StartWith("VERSION=3\n").And.EndWith("HEADER=END\nDATA=END\n").And.NotContain("database=");
        LoadReport report = Dumps.Load(environment, dump);
        report.Entries.Should().Be(0);
        report.TransactionId.Should().Be(0);
    }

    [Fact]
    public async Task What_mdb_load_refuses_is_a_warning_and_an_error_when_strict()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.Put(new byte[512], "long"u8);
            tree.Put(new byte[513], "long"u8);
            tree.Put([], "empty"u8);
            tree.Put(new byte[511], "as long as they may be"u8);
            transaction.OpenTree("nul\0").Put("k"u8, "v"u8);
            transaction.Commit();
        }

        using MemoryStream stream = new();
        DumpReport report = await StorageDump.WriteAsync(environment, PipeWriter.Create(stream));
        report.Warnings.Should().HaveCount(3);
        report.Warnings[0].Should().Contain("hex:6e756c00").And.Contain("another name");
        report.Warnings[1].Should().Contain("Tree 't': 2 keys are longer than 511 bytes");
        report.Warnings[2].Should().Contain("1 key is empty");
        Action keys = () => Dumps.Of(environment, new DumpOptions { Tree = "t", Strict = true });
        keys.Should().Throw<DumpFormatException>().WithMessage("*key is empty*").Which.Line.Should().Be(8);
        Action names = () => Dumps.Of(environment, new DumpOptions { Strict = true });
        names.Should().Throw<DumpFormatException>().WithMessage("*hex:6e756c00*");
    }

    [Fact]
    public void A_map_of_the_given_size_has_room_for_what_is_dumped()
    {
        using StorageEnvironment environment = Mixed(4096);
        string head = Dumps.TextOf(environment, new DumpOptions { Tree = "numbers" });
        long mapBytes = long.Parse(
            head.Split('\n').Single(static line => line.StartsWith("mapsize=", StringComparison.Ordinal))["mapsize=".Length..],
            System.Globalization.CultureInfo.InvariantCulture);
        using ReadTransaction transaction = environment.BeginRead();
        mapBytes.Should().BeGreaterThan(2 * transaction.OpenTree("numbers").GetReport().AllocatedBytes);
        (mapBytes % (1 << 20)).Should().Be(0);
    }

    [Fact]
    public async Task A_missing_tree_writes_nothing()
    {
        using StorageEnvironment environment = Small();
        using MemoryStream stream = new();
        Func<Task> dump = async () => await StorageDump.WriteAsync(
            environment, PipeWriter.Create(stream), new DumpOptions { Tree = "none" });
        await dump.Should().ThrowAsync<TreeNotFoundException>();
        stream.Length.Should().Be(0);
        Action both = () => Dumps.Of(environment, new DumpOptions { Tree = "letters", TreeNameBytes = "letters"u8.ToArray() });
        both.Should().Throw<ArgumentException>().WithMessage("*exclude each other*");
        Dumps.TextOf(environment, new DumpOptions { TreeNameBytes = "letters"u8.ToArray() }).Should().Contain(" 625c\n");
    }

    [Fact]
    public async Task A_reader_that_completes_early_ends_the_dump_with_an_error()
    {
        using StorageEnvironment environment = Mixed(4096);
        Pipe pipe = new();
        pipe.Reader.Complete();
        Func<Task> dump = async () => await StorageDump.WriteAsync(environment, pipe.Writer);
        (await dump.Should().ThrowAsync<StorageIOException>()).WithMessage("*reader of the pipe completed*");
        environment.GetReport().OpenReaders.Should().Be(0);
    }

    [Fact]
    public async Task A_cancelled_dump_ends_and_leaves_no_reader()
    {
        using StorageEnvironment environment = Mixed(4096);
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 4096, resumeWriterThreshold: 2048));
        using CancellationTokenSource stop = new();
        Task<DumpReport> dump = StorageDump.WriteAsync(environment, pipe.Writer, null, stop.Token).AsTask();
        await stop.CancelAsync();
        Func<Task> end = () => dump;
        await end.Should().ThrowAsync<OperationCanceledException>();
        environment.GetReport().OpenReaders.Should().Be(0);
        pipe.Reader.Complete();
    }

    /// <summary>The size of the map follows from the pages that a tree has, which differ between a grown tree and a loaded one.</summary>
    private static string WithoutMapSize(byte[] dump) => System.Text.RegularExpressions.Regex.Replace(
        Encoding.Latin1.GetString(dump), "mapsize=[0-9]+", "mapsize=");

    private static StorageEnvironment Small()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree letters = transaction.OpenTree("letters");
        letters.Put("b\\"u8, " ä A"u8);
        letters.Put("a"u8, [0, 1, 0xFF]);
        transaction.OpenTree("empty");
        transaction.Commit();
        return environment;
    }

    /// <summary>Trees with entries of all kinds: values in pages, runs and pieces, bytes of all values, names that are no text.</summary>
    private static StorageEnvironment Mixed(int pageBytes)
    {
        Random random = new(pageBytes);
        StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree numbers = transaction.OpenTree("numbers");
        for (int i = 0; i < 20_000; i++)
        {
            numbers.Put(Encoding.UTF8.GetBytes($"{random.Next()}"), Encoding.UTF8.GetBytes($"number {i}"));
        }

        Tree bytes = transaction.OpenTree("bytes");
        bytes.Put([], []);
        for (int i = 0; i < 1000; i++)
        {
            byte[] key = new byte[random.Next(1, pageBytes / 4)];
            byte[] value = new byte[random.Next(i % 50 == 0 ? 200_000 : 300)];
            random.NextBytes(key);
            random.NextBytes(value);
            bytes.Put(key, value);
        }

        byte[] large = new byte[(3 << 20) + 17];
        random.NextBytes(large);
        bytes.OpenValueWriter("in pieces"u8).WriteWhole(large);
        bytes.Put("in a run"u8, large.AsSpan(5));
        transaction.OpenTree([0, (byte)'\n', (byte)'\\', 0xFF]).Put("a"u8, "b"u8);
        transaction.OpenTree("empty");
        transaction.Commit();
        return environment;
    }
}
