using System.IO.Pipelines;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

public sealed class LoadTests : IDisposable
{
    private const string Head = Dumps.Head;

    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();

    public void Dispose() => _environment.Dispose();

    [Theory]
    [InlineData("", 1, "ends before a section begins")]
    [InlineData("\n\n", 2, "ends before a section begins")]
    [InlineData("{\"id\":1}\n", 1, "--jsonl")]
    [InlineData("VERSION=2\n", 1, "only version 3")]
    [InlineData("VERSION=3\nformat=xml\n", 2, "'format=xml' is not known")]
    [InlineData("VERSION=3\ntype=lsm\n", 2, "'type=lsm' is not known")]
    [InlineData("VERSION=3\ndatabase=t\nHEADER=END\nVERSION=3\n", 4, "begins with a space")]
    [InlineData("VERSION=3\ndatabase=t\n", 2, "inside the header")]
    [InlineData("VERSION=3\nvoron_database=6\nHEADER=END\n", 2, "even number of hexadecimal digits")]
    [InlineData("VERSION=3\ntype=recno\ndatabase=t\nHEADER=END\n 61\nDATA=END\n", 4, "db_dump -k")]
    [InlineData("VERSION=3\nHEADER=END\n 61\n 62\nDATA=END\n", 1, "--tree")]
    [InlineData(Head, 5, "before 'DATA=END'")]
    [InlineData(Head + " 61\n 62\n", 7, "before 'DATA=END'")]
    [InlineData(Head + " 61\n 62\nDATA=EN", 8, "begins with a space")]
    [InlineData(Head + " 61\n", 6, "before 'DATA=END'")]
    [InlineData(Head + " 61\nDATA=END\n", 7, "without a value")]
    [InlineData(Head + " 61\n 6\nDATA=END\n", 7, "odd number")]
    [InlineData(Head + " 61\n 6g62\nDATA=END\n", 7, "column 3 is not")]
    [InlineData(Head + " 61\n 6162 \nDATA=END\n", 7, "column 6")]
    [InlineData(Head + "61\n 62\nDATA=END\n", 6, "begins with a space")]
    [InlineData(Head + " 61\n\nDATA=END\n", 7, "begins with a space")]
    [InlineData(Head + " 61\n 62\nDATA=END\nrubbish\n", 9, "no line of a header")]
    [InlineData("VERSION=3\nformat=print\ndatabase=t\nHEADER=END\n a\n b\\6\nDATA=END\n", 6, "backslash in column 3")]
    [InlineData("VERSION=3\ndatabase=t\nduplicates=1\nHEADER=END\n 61\n 62\n 61\n 63\nDATA=END\n", 7, "'a' has several values")]
    [InlineData("VERSION=3\ndatabase=t\ndupsort=1\nHEADER=END\n 61\n 62\n  63\nDATA=END\n", 7, "two spaces")]
    [InlineData("VERSION=3\ngeometry=\nformat=print\ndatabase=t\ndupsort=1\nHEADER=END\n a\n b\n  c\nDATA=END\n", 9, "two spaces")]
    public void Bad_input_is_refused_by_its_line_and_nothing_is_stored(string dump, long line, string expected)
    {
        Action load = () => Dumps.Load(_environment, dump);
        DumpFormatException error = load.Should().Throw<DumpFormatException>().Which;
        error.Message.Should().Contain(expected).And.Contain($"Line {line}");
        error.Line.Should().Be(line);
        using ReadTransaction transaction = _environment.BeginRead();
        transaction.TreeNames.Should().BeEmpty();
        transaction.TransactionId.Should().Be(0);
    }

    [Fact]
    public void A_dump_that_is_cut_anywhere_is_refused()
    {
        byte[] dump = Encoding.ASCII.GetBytes($"{Head} 6162\n 63\n 6163\n \nDATA=END\n{Head} 64\n 65\nDATA=END\n");
        int endOfFirst = Encoding.ASCII.GetString(dump).IndexOf("DATA=END\n", StringComparison.Ordinal) + "DATA=END".Length;
        for (int length = 0; length < dump.Length - 1; length++)
        {
            if (length == endOfFirst || length == endOfFirst + 1)
            {
                continue;
            }

            Action load = () => Dumps.Load(_environment, dump[..length]);
            load.Should().Throw<DumpFormatException>("of {0} bytes are left", length);
        }

        Dumps.Load(_environment, dump[..^1]).Entries.Should().Be(3);
    }

    [Fact]
    public void Keys_that_are_too_long_are_refused_by_their_line()
    {
        foreach (int bytes in (int[])[_environment.Limits.MaxKeyBytes + 1, 3 << 20])
        {
            Action load = () => Dumps.Load(_environment, $"{Head} 61\n 62\n {new string('6', 2 * bytes)}\n 62\nDATA=END\n");
            DumpFormatException error = load.Should().Throw<DumpFormatException>().Which;
            error.Line.Should().Be(8);
            error.Message.Should().Contain("at most 2048").And.Contain("PageSize");
            error.InnerException.Should().BeOfType<KeyTooLongException>();
        }
    }

    [Fact]
    public void Dumps_of_other_stores_are_read()
    {
        // libmdbx names its geometry and sequence; Berkeley DB other things; lines may end as on Windows, and digits be upper-case.
        LoadReport report = Dumps.Load(
            _environment,
            "VERSION=3\ngeometry=l1048576,c1048576,u1048576,s0,g0\nmapsize=1048576\nformat=bytevalue\ndatabase=mdbx\ntype=btree\n"
            + "db_pagesize=4096\nduplicates=0\nsequence=7\nHEADER=END\n 61\n 62\nDATA=END\n"
            + "VERSION=3\r\nformat=print\r\ndatabase=bdb\r\ntype=hash\r\nh_nelem=1\r\ndb_pagesize=4096\r\nHEADER=END\r\n"
            + " a\\\\b\r\n \\C3\\a4\r\nDATA=END\r\n"
            + "VERSION=3\nformat=bytevalue\ndatabase=recno\ntype=recno\nkeys=1\nHEADER=END\n 31\n 4A\n 32\n 4b\nDATA=END\n");
        report.Sections.Should().Be(3);
        report.Warnings.Should().BeEmpty();
        Dumps.Entries(_environment, "mdbx").Should().Be("61=62");
        Dumps.Entries(_environment, "bdb").Should().Be("615c62=c3a4");
        Dumps.Entries(_environment, "recno").Should().Be("31=4a 32=4b");
    }

    [Fact]
    public void A_bare_backslash_in_printed_text_of_LMDB_is_taken_as_it_is_with_a_warning()
    {
        LoadReport report = Dumps.Load(
            _environment,
            "VERSION=3\nformat=print\ndatabase=t\ntype=btree\nmapsize=1048576\nmaxreaders=126\nHEADER=END\n"
            + " a\\z\n \\\n b\n \\6\nDATA=END\n");
        report.Warnings.Should().ContainSingle().Which.Should().Contain("Line 8").And.Contain("without -p");
        Dumps.Entries(_environment, "t").Should().Be("615c7a=5c 62=5c36");
    }

    [Fact]
    public void Keys_in_another_order_are_kept_with_a_warning()
    {
        LoadReport report = Dumps.Load(
            _environment, "VERSION=3\ndatabase=t\nintegerkey=1\nHEADER=END\n 0001\n 62\n 0100\n 63\n 0002\n 64\nDATA=END\n");
        report.Warnings.Should().ContainSingle().Which.Should().Contain("integerkey=1");
        Dumps.Entries(_environment, "t").Should().Be("0001=62 0002=64 0100=63");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Records_of_sub_databases_are_left_out_and_counted(bool isMainFirst)
    {
        string record = new('0', 96);
        string main = $"VERSION=3\nHEADER=END\n 61\n {record}\n 7375623a31\n {record}\nDATA=END\n";
        string sub = "VERSION=3\ndatabase=sub:1\nHEADER=END\n 6b\n 76\nDATA=END\n";
        LoadOptions options = new() { Tree = "main" };
        LoadReport report = isMainFirst
            ? Dumps.Load(_environment, main + sub, options)
            : Dumps.Load(_environment, sub.Replace("sub:1", string.Empty, StringComparison.Ordinal) + main, options);
        Dumps.Entries(_environment, "main").Should().Contain($"61={record}");
        report.SubDatabaseRecords.Should().Be(isMainFirst ? 1 : 0);
        report.Entries.Should().Be(3);
        if (isMainFirst)
        {
            Dumps.Entries(_environment, "sub:1").Should().Be("6b=76");
            Dumps.Entries(_environment, "main").Should().NotContain("7375623a31");
        }
    }

    [Fact]
    public void Records_of_sub_databases_that_came_before_are_left_out()
    {
        string record = new('0', 96);
        string sub = "VERSION=3\ndatabase=s\nHEADER=END\n 6b\n 76\nDATA=END\n";
        string first = "VERSION=3\nHEADER=END\n 01\n 02\nDATA=END\n";
        LoadReport report = Dumps.Load(
            _environment, $"{first}{sub}VERSION=3\nHEADER=END\n 73\n {record}\nDATA=END\n", new LoadOptions { Tree = "main" });
        report.SubDatabaseRecords.Should().Be(1);
        Dumps.Entries(_environment, "main").Should().Be("01=02");
    }

    [Fact]
    public void The_only_section_goes_to_the_tree_that_is_named()
    {
        Dumps.Load(_environment, $"{Head} 61\n 62\nDATA=END\n", new LoadOptions { Tree = "other" });
        Dumps.Entries(_environment, "other").Should().Be("61=62");
        Dumps.Entries(_environment, "t").Should().Be("none");
        Action two = () => Dumps.Load(
            _environment, $"{Head} 61\n 63\nDATA=END\n{Head} 61\n 64\nDATA=END\n", new LoadOptions { Tree = "other" });
        two.Should().Throw<DumpFormatException>().Which.Line.Should().Be(9);
        Dumps.Entries(_environment, "other").Should().Be("61=62");
    }

    [Fact]
    public void Existing_values_are_replaced_or_kept()
    {
        Dumps.Load(_environment, $"{Head} 61\n 01\n 63\n 01\nDATA=END\n");
        LoadReport kept = Dumps.Load(
            _environment, $"{Head} 61\n 02\n 62\n 02\n 64\n 02\n 64\n 03\nDATA=END\n", new LoadOptions { NoOverwrite = true });
        Dumps.Entries(_environment, "t").Should().Be("61=01 62=02 63=01 64=02");
        kept.Skipped.Should().Be(2);
        LoadReport replaced = Dumps.Load(_environment, $"{Head} 61\n 05\nDATA=END\n");
        replaced.Skipped.Should().Be(0);
        Dumps.Entries(_environment, "t").Should().StartWith("61=05");
    }

    [Fact]
    public void Appending_refuses_a_key_that_is_not_above_all_others()
    {
        LoadOptions append = new() { Append = true };
        Dumps.Load(_environment, $"{Head} 61\n 01\n 63\n 01\nDATA=END\n", append);
        Action below = () => Dumps.Load(_environment, $"{Head} 64\n 01\n 62\n 01\nDATA=END\n", append);
        below.Should().Throw<DumpFormatException>().WithMessage("*'b' is not greater*").Which.Line.Should().Be(8);
        Action equal = () => Dumps.Load(_environment, $"{Head} 63\n 01\nDATA=END\n", append);
        equal.Should().Throw<DumpFormatException>().Which.Line.Should().Be(6);
        Dumps.Entries(_environment, "t").Should().Be("61=01 63=01");
        Action both = () => Dumps.Load(_environment, Head, new LoadOptions { Append = true, NoOverwrite = true });
        both.Should().Throw<ArgumentException>();
    }

    [Fact]
    public void Batches_are_committed_and_an_error_takes_back_only_the_last_one()
    {
        string entries = string.Concat(Enumerable.Range(0, 25).Select(static i => $" {i:x2}\n 01\n"));
        List<LoadProgress> seen = [];
        Action load = () => Dumps.Load(
            _environment,
            Encoding.ASCII.GetBytes($"{Head}{entries} xx\n"),
            new LoadOptions { EntriesPerTransaction = 10 },
            progress: new Noted(seen));
        load.Should().Throw<DumpFormatException>();
        seen[^1].Committed.Should().Be(20);
        using ReadTransaction transaction = _environment.BeginRead();
        transaction.OpenTree("t").Count.Should().Be(20);
        transaction.TransactionId.Should().Be(2);
        LoadReport report = Dumps.Load(
            _environment, Encoding.ASCII.GetBytes($"{Head}{entries}DATA=END\n"), new LoadOptions { EntriesPerTransaction = 10 });
        report.TransactionId.Should().Be(5);
        report.Entries.Should().Be(25);
    }

    [Fact]
    public void A_long_value_is_stored_in_pieces_and_shorter_ones_as_a_whole()
    {
        byte[] whole = new byte[16 << 20];
        byte[] longer = new byte[(17 << 20) + 3];
        new Random(1).NextBytes(whole);
        new Random(2).NextBytes(longer);
        foreach (string format in (string[])["bytevalue", "print"])
        {
            using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
            byte[] longerText = Digits(longer, format);
            byte[] head = Encoding.ASCII.GetBytes($"VERSION=3\nformat={format}\ndatabase=t\nHEADER=END\n a1\n ");
            byte[] dump =
                [.. head, .. Digits(whole, format), .. "\n b2\n "u8, .. longerText, .. "\n b2\n "u8, .. longerText, .. "\nDATA=END\n"u8];
            LoadReport report = Dumps.Load(environment, dump, new LoadOptions { NoOverwrite = true });
            report.Skipped.Should().Be(1);
            using ReadTransaction transaction = environment.BeginRead();
            ReadTree tree = transaction.OpenTree("t");
            tree.TryGetFirst(out TreeEntry first).Should().BeTrue();
            first.Value.SequenceEqual(whole).Should().BeTrue();
            tree.TryGetLast(out TreeEntry last).Should().BeTrue();
            last.ValueBytes.Should().Be(longer.Length);
            Dumps.Whole(last).AsSpan().SequenceEqual(longer).Should().BeTrue();
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    /// <summary>A value in hexadecimal digits, each byte escaped when the format is "print".</summary>
    private static byte[] Digits(byte[] value, string format)
    {
        byte[] digits = new byte[2 * value.Length];
        Convert.TryToHexStringLower(value, digits, out _).Should().BeTrue();
        if (format != "print")
        {
            return digits;
        }

        byte[] printed = new byte[3 * value.Length];
        for (int i = 0; i < value.Length; i++)
        {
            printed[3 * i] = (byte)'\\';
            digits.AsSpan(2 * i, 2).CopyTo(printed.AsSpan((3 * i) + 1));
        }

        return printed;
    }

    [Fact]
    public void A_load_into_a_database_that_only_reads_is_refused()
    {
        using TemporaryFolder folder = new();
        StorageEnvironment.Open(folder.Path).Dispose();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { ReadOnly = true });
        Action load = () => Dumps.Load(environment, $"{Head}DATA=END\n");
        load.Should().Throw<StorageReadOnlyException>();
    }

    [Fact]
    public async Task A_cancelled_load_stores_nothing_and_leaves_the_pipe_open()
    {
        Pipe pipe = new();
        await pipe.Writer.WriteAsync(Encoding.ASCII.GetBytes($"{Head} 61\n 62\n"));
        using CancellationTokenSource stop = new();
        Task<LoadReport> load = StorageDump.LoadAsync(_environment, pipe.Reader, null, stop.Token).AsTask();
        await stop.CancelAsync();
        Func<Task> end = () => load;
        await end.Should().ThrowAsync<OperationCanceledException>();
        Dumps.Entries(_environment, "t").Should().Be("none");
        pipe.Writer.Complete();
        pipe.Reader.TryRead(out _).Should().BeTrue("it was not completed");
        using WriteTransaction next = _environment.BeginWrite(TimeSpan.Zero);
    }

    private sealed class Noted(List<LoadProgress> seen) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value) => seen.Add(value);
    }
}
