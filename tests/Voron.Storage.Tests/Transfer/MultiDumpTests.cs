using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

/// <summary>Sections with several values for a key, sorted: they are those of multi-value trees.</summary>
public sealed class MultiDumpTests : IDisposable
{
    private const string Head = "VERSION=3\nformat=bytevalue\ndatabase=t\ntype=btree\nduplicates=1\ndupsort=1\n";
    private const string Pairs = "HEADER=END\n 61\n 6262\n 61\n 6263\n 62\n 6262\nDATA=END\n";

    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();

    public void Dispose() => _environment.Dispose();

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 0)]
    [InlineData(false, 7)]
    public void Our_dump_comes_back_with_shapes_and_pairs(bool print, int entriesPerTransaction)
    {
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        PairSample.Change(source, 5, 3000);
        using (WriteTransaction transaction = source.BeginWrite())
        {
            transaction.OpenMultiTree("without values", 0).Add("key"u8, []);
            transaction.OpenTree("ordered").Put("key"u8, "value"u8);
            transaction.Commit();
        }

        byte[] dump = Dumps.Of(source, new DumpOptions { Print = print });
        LoadReport report = Dumps.Load(_environment, dump, new LoadOptions { EntriesPerTransaction = entriesPerTransaction });
        report.Warnings.Should().BeEmpty();
        report.Skipped.Should().Be(0);
        PairSample.Text(_environment).Should().Be(PairSample.Text(source));
        Dumps.Of(_environment, new DumpOptions { Print = print }).Should().Equal(dump);
        using ReadTransaction read = _environment.BeginRead();
        ReadMultiTree empty = read.OpenMultiTree("without values");
        (empty.ValueBytes, empty.Count, empty.Contains("key"u8, [])).Should().Be((0, 1, true));
        _environment.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData("", null)]
    [InlineData("dupfixed=1\n", 2)]
    [InlineData("voron_value_bytes=2\n", 2)]
    [InlineData("voron_value_bytes=rubbish\n", null)]
    public void The_length_of_packed_values_is_that_of_the_first_one(string line, int? valueBytes)
    {
        LoadReport report = Dumps.Load(_environment, Head + line + Pairs);
        report.Entries.Should().Be(3);
        using ReadTransaction read = _environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree("t");
        (tree.ValueBytes, tree.Count, tree.Count("a"u8), tree.Contains("b"u8, "bb"u8)).Should().Be((valueBytes, 3, 2, true));
    }

    [Fact]
    public void Packed_values_without_any_leave_an_empty_tree()
    {
        Dumps.Load(_environment, Head + "dupfixed=1\nHEADER=END\nDATA=END\n");
        using ReadTransaction read = _environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree("t");
        (tree.ValueBytes, tree.Count).Should().Be((null, 0));
    }

    [Fact]
    public void A_tree_that_exists_keeps_its_shape_and_its_pairs()
    {
        Open(valueBytes: 2);
        LoadReport report = Dumps.Load(_environment, Head + Pairs);
        (report.Entries, report.Skipped).Should().Be((3, 1));
        using ReadTransaction read = _environment.BeginRead();
        ReadMultiTree tree = read.OpenMultiTree("t");
        (tree.ValueBytes, tree.Count).Should().Be((2, 4));
    }

    [Fact]
    public void A_value_of_another_length_is_refused_by_its_line()
    {
        Open(valueBytes: 3);
        Expect(Head + Pairs, 8).Message.Should().Contain("values of 3 bytes");
        Expect(Head.Replace("=t", "=u", StringComparison.Ordinal) + "dupfixed=1\nHEADER=END\n 61\n 62\n 61\n 6262\nDATA=END\n", 11)
            .Message.Should().Contain("values of 1 bytes");
    }

    [Fact]
    public void A_pair_that_is_too_long_is_refused_by_its_line()
    {
        string half = new('6', _environment.Limits.MaxKeyBytes);
        DumpFormatException error = Expect($"{Head}HEADER=END\n {half}\n {half}\nDATA=END\n", 8);
        error.Message.Should().Contain("PageSize");
        error.InnerException.Should().BeOfType<KeyTooLongException>();
        error = Expect($"{Head}HEADER=END\n 61\n {new string('6', 34 << 20)}\nDATA=END\n", 8);
        error.InnerException.Should().BeOfType<KeyTooLongException>();
    }

    [Fact]
    public void Pairs_that_must_ascend_and_do_not_are_refused()
    {
        LoadOptions append = new() { Append = true };
        Dumps.Load(_environment, Head + Pairs, append).Entries.Should().Be(3);
        Action again = () => Dumps.Load(_environment, Head + Pairs, append);
        again.Should().Throw<DumpFormatException>().Which.Line.Should().Be(8);
    }

    [Fact]
    public void A_tree_of_another_kind_is_refused()
    {
        using (WriteTransaction transaction = _environment.BeginWrite())
        {
            transaction.OpenTree("t");
            transaction.Commit();
        }

        Action load = () => Dumps.Load(_environment, Head + Pairs);
        load.Should().Throw<TreeKindMismatchException>().Which.Tree.Should().Be("t");
        string other = Dumps.Head.Replace("=t\n", "=u\n", StringComparison.Ordinal);
        Action ordered = () => Dumps.Load(_environment, other + " 61\n 62\nDATA=END\n");
        using (WriteTransaction transaction = _environment.BeginWrite())
        {
            transaction.OpenMultiTree("u");
            transaction.Commit();
        }

        ordered.Should().Throw<TreeKindMismatchException>().Which.Tree.Should().Be("u");
    }

    [Fact]
    public void Values_in_another_order_are_kept_with_a_warning()
    {
        LoadReport report = Dumps.Load(_environment, Head + "integerdup=1\n" + Pairs);
        report.Warnings.Should().ContainSingle().Which.Should().Contain("integerdup=1");
    }

    private void Open(int valueBytes)
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("t", valueBytes);
        if (valueBytes == 2)
        {
            tree.Add("a"u8, "bb"u8);
            tree.Add("z"u8, "zz"u8);
        }

        transaction.Commit();
    }

    private DumpFormatException Expect(string dump, long line)
    {
        Action load = () => Dumps.Load(_environment, dump);
        DumpFormatException error = load.Should().Throw<DumpFormatException>().Which;
        error.Line.Should().Be(line);
        return error;
    }
}
