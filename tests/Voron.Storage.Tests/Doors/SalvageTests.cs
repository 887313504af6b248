using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Every kind of damage: what is readable comes out in a sound new database, and the report says what did not.</summary>
public sealed class SalvageTests : IDisposable
{
    private const int Page = 4096;
    private const int Keys = 3000;
    private const int Behind = 200;
    private readonly TemporaryFolder _folder = new();
    private readonly TemporaryFolder _target = new();

    public void Dispose()
    {
        _folder.Dispose();
        _target.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_sound_database_comes_out_whole(bool closed)
    {
        Make(closed);
        SalvageReport report = Copy();
        report.Losses.Should().BeEmpty();
        report.IsComplete.Should().BeTrue();
        report.Trees.Should().Be(2);
        report.Entries.Should().Be(Keys + Behind + 1);
        report.Transactions.Should().Be(closed ? 0 : 2);
        Expect(Keys + Behind, large: true);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public void Both_header_slots_rotten(bool closed, bool zeroed)
    {
        Make(closed);
        Change(file =>
        {
            foreach (int slot in (int[])[0, Page])
            {
                file[slot + 50] ^= 1;
                file.AsSpan(slot, zeroed ? HeaderSlot.SizeBytes : 0).Clear();
            }
        });
        ExpectRefusal();
        SalvageReport report = Copy();
        report.Losses.Should().ContainSingle().Which.Message.Should().Contain("Both header slots");
        Expect(Keys + Behind, large: true);
    }

    [Fact]
    public void An_empty_data_file_beside_its_journal_is_a_lost_one_and_not_a_foreign_one()
    {
        Make(closed: false);
        File.WriteAllBytes(Sample.Data(_folder), []);
        foreach (Action refused in (Action[])[() => StorageEnvironment.Open(_folder.Path), () => Copy()])
        {
            refused.Should().Throw<StorageCorruptException>().Which.Message.Should()
                .Contain("journal is beside it").And.Contain("restore a backup");
        }

        Directory.Delete(Path.Combine(_folder.Path, "journal"), recursive: true);
        ((Action)(() => Copy())).Should().Throw<NotADatabaseException>();
    }

    [Fact]
    public void The_catalog_rotten()
    {
        Make(closed: true);
        Rot(FormatConstants.CatalogRootPage.Value);
        SalvageReport report = Copy();
        report.Losses.Should().ContainSingle().Which.PageNumber.Should().Be(FormatConstants.CatalogRootPage.Value);
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().HaveCount(2).And.OnlyContain(static name => name.StartsWith("lost+found/page-"));
        read.TreeNames.Sum(name => read.OpenTree(name).Count).Should().Be(Keys + Behind + 1);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_branch_page_rotten()
    {
        Make(closed: true);
        List<long> branches = PagesOf(PageKind.Branch);
        branches.Should().NotBeEmpty();
        foreach (long branch in branches)
        {
            Rot(branch);
        }

        SalvageReport report = Copy();
        report.Losses.Should().NotBeEmpty();
        report.Losses.Should().OnlyContain(static loss => loss.Tree == Sample.Tree);
        Expect(Keys + Behind, large: true);
    }

    [Fact]
    public void A_leaf_page_rotten()
    {
        Make(closed: true);
        long leaf = PagesOf(PageKind.Leaf)[^1];
        Rot(leaf);
        SalvageReport report = Copy();
        SalvageLoss loss = report.Losses.Should().ContainSingle().Which;
        loss.PageNumber.Should().Be(leaf);
        loss.Tree.Should().Be(Sample.Tree);
        loss.Message.Should().Contain("keys ", "it names the keys");
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Count.Should().BeInRange(Keys + Behind - 200, Keys + Behind - 1);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void An_overflow_page_rotten()
    {
        Make(closed: true);
        long run = PagesOf(PageKind.Overflow).Should().ContainSingle().Which;
        Rot(run);
        SalvageLoss loss = Copy().Losses.Should().ContainSingle().Which;
        loss.PageNumber.Should().Be(run);
        loss.Tree.Should().Be("large");
        Expect(Keys + Behind, large: false);
    }

    [Fact]
    public void The_space_map_rotten()
    {
        Make(closed: true);
        Rot(FormatConstants.FirstSpaceMapPage.Value);
        Copy().Losses.Should().BeEmpty("the entries do not need it");
        Expect(Keys + Behind, large: true);
    }

    [Fact]
    public void A_lost_record_in_the_journal()
    {
        Make(closed: false);
        string chunk = Directory.GetFiles(Sample.Journal(_folder), "*.commit").Order(StringComparer.Ordinal).Last(IsUsed);
        byte[] bytes = File.ReadAllBytes(chunk);
        int first = bytes.AsSpan(4096).LastIndexOf("VREC"u8) + 4096;
        int before = bytes.AsSpan(4096, first - 4096).LastIndexOf("VREC"u8) + 4096;
        bytes[before + 200] ^= 1;
        File.WriteAllBytes(chunk, bytes);
        ExpectRefusal();
        SalvageReport report = Copy();
        report.Losses.Should().ContainSingle().Which.Message.Should().Contain("transactions 4 to 4 are lost");
        report.Transactions.Should().Be(1);
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Contains(Sample.Key(Keys + Behind - 1)).Should().BeTrue("what was committed after the loss is there");
        read.OpenTree(Sample.Tree).Contains(Sample.Key(Keys)).Should().BeFalse();
    }

    [Fact]
    public void A_torn_tail_is_no_loss()
    {
        Make(closed: false);
        string chunk = Directory.GetFiles(Sample.Journal(_folder), "*.commit").Order(StringComparer.Ordinal).Last(IsUsed);
        byte[] bytes = File.ReadAllBytes(chunk);
        bytes[bytes.AsSpan(4096).LastIndexOf("VREC"u8) + 4096 + 200] ^= 1;
        File.WriteAllBytes(chunk, bytes);
        SalvageReport report = Copy();
        report.Losses.Should().BeEmpty();
        report.Transactions.Should().Be(1);
        Expect(Keys + (Behind / 2), large: true);
    }

    /// <summary>
    /// Its fragments stand in the journal before those of the next transaction, which has the same number; where a chunk ends between them
    /// they looked like what a recovery leaves behind.
    /// </summary>
    [Fact]
    public void A_long_transaction_rolled_back_is_no_loss()
    {
        const int Rounds = 12;
        StorageOptions options = new()
        {
            Engine = new() { Background = false, FragmentBytes = 2_000 },
            PageSize = Page, JournalSoftLimitBytes = 64 << 10,
        };
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options);
        for (int round = 0; round < Rounds; round++)
        {
            PutLong(environment, "undone", 10 + round, round).Dispose();
            using WriteTransaction kept = PutLong(environment, "kept", 20, round);
            kept.Commit();
        }

        environment.Database.Abandon();
        SalvageReport report = Copy();
        report.Losses.Should().BeEmpty();
        report.Transactions.Should().Be(Rounds);
        report.Entries.Should().Be(Rounds * 20);
    }

    [Fact]
    public void Names_that_are_no_text_stay_what_they_are()
    {
        byte[][] names = [[0xFF], [0xFE], [.. Enumerable.Repeat((byte)0xC0, 255)], "text"u8.ToArray()];
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            foreach (byte[] name in names)
            {
                transaction.OpenTree(name).Put("key"u8, name);
            }

            transaction.Commit();
        }

        SalvageReport report = Copy();
        report.Losses.Should().BeEmpty();
        report.Trees.Should().Be(names.Length);
        report.Entries.Should().Be(names.Length);
        using StorageEnvironment copy = StorageEnvironment.Open(_target.Path);
        using ReadTransaction read = copy.BeginRead();
        read.TreeNames.Should().HaveCount(names.Length);
        read.TreeNameBytes.Should().BeEquivalentTo(names).And.BeInAscendingOrder(ByteOrder.Instance);
        foreach (byte[] name in names)
        {
            read.OpenTree(name).Get("key"u8).Should().Equal(name);
        }
    }

    [Fact]
    public void A_lost_image_set_falls_back_to_what_the_file_holds()
    {
        Make(closed: false);
        foreach (string chunk in Directory.GetFiles(Sample.Journal(_folder), "*.pages"))
        {
            File.Delete(chunk);
        }

        ExpectRefusal();
        SalvageReport report = Copy();
        report.Losses.Should().Contain(static loss => loss.Message.Contains("image set", StringComparison.Ordinal));
        Expect(Keys + Behind, large: true);
    }

    [Fact]
    public void Nothing_is_written_over_and_nothing_foreign_is_taken()
    {
        Make(closed: true);
        Copy();
        ((Action)(() => Copy())).Should().Throw<ArgumentException>().Which.Message.Should().Contain("empty folder");
        File.WriteAllText(Sample.Data(_folder), new string('x', 100_000));
        ((Action)(() => Copy(Path.Combine(_target.Path, "other")))).Should().Throw<StorageCorruptException>();
        Directory.Delete(Path.Combine(_folder.Path, "journal"), recursive: true);
        ((Action)(() => Copy(Path.Combine(_target.Path, "other")))).Should().Throw<NotADatabaseException>();
        using TemporaryFolder none = new();
        ((Action)(() => StorageSalvage.Copy(none.Path, _target.Path))).Should().Throw<StorageIOException>();
        Directory.GetFileSystemEntries(none.Path).Should().BeEmpty();
    }

    /// <summary>The records that outlive a chunk's header say by half of its salt whose they are.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_chunk_without_its_header_is_read_unless_it_is_of_another_database(bool isForeign)
    {
        const int HeaderBytes = 4096;
        Make(closed: false);
        string chunk = Directory.GetFiles(Path.Combine(_folder.Path, "journal"), "*.commit").Single(IsUsed);
        byte[] content = File.ReadAllBytes(chunk);
        if (isForeign)
        {
            using TemporaryFolder other = new();
            Make(closed: false, other.Path);
            content = File.ReadAllBytes(Path.Combine(other.Path, "journal", Path.GetFileName(chunk)));
        }

        content.AsSpan(0, HeaderBytes).Clear();
        File.WriteAllBytes(chunk, content);
        ExpectRefusal();
        Copy().Losses.Should().Contain(static loss => loss.Message.Contains("its sound records were read", StringComparison.Ordinal));
        Expect(isForeign ? Keys : Keys + Behind, large: true);
    }

    private static WriteTransaction PutLong(StorageEnvironment environment, string tree, int values, int seed)
    {
        WriteTransaction transaction = environment.BeginWrite();
        Tree opened = transaction.OpenTree(tree);
        for (int i = 0; i < values; i++)
        {
            opened.Put(Sample.Key((seed * 100) + i), Sample.Value(900, i));
        }

        return transaction;
    }

    private static bool IsUsed(string chunk) => File.ReadAllBytes(chunk).AsSpan(4096).IndexOf("VREC"u8) >= 0;

    /// <summary>3000 keys and a large value in the data file, 200 keys in two transactions behind the checkpoint unless closed.</summary>
    private void Make(bool closed, string? folder = null)
    {
        StorageOptions options = new() { Engine = new() { Background = false }, PageSize = Page };
        StorageEnvironment environment = StorageEnvironment.Open(folder ?? _folder.Path, options);
        Sample.Put(environment, 0, Keys / 2);
        environment.Checkpoint();
        Sample.Put(environment, Keys / 2, Keys);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("large").Put("value"u8, Sample.Value(40_000, 1));
            transaction.Commit();
        }

        environment.Checkpoint();
        Sample.Put(environment, Keys, Keys + (Behind / 2));
        Sample.Put(environment, Keys + (Behind / 2), Keys + Behind);
        if (closed)
        {
            environment.Dispose();
        }
        else
        {
            environment.Database.Abandon();
        }
    }

    private SalvageReport Copy(string? target = null)
    {
        Dictionary<string, byte[]> before = Files();
        SalvageReport report = StorageSalvage.Copy(_folder.Path, target ?? _target.Path);
        Files().Should().BeEquivalentTo(before, "the damaged database is only read");
        return report;
    }

    private void Expect(int keys, bool large)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        Sample.Expect(environment, keys);
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().BeEquivalentTo(["large", Sample.Tree]);
        byte[]? value = read.OpenTree("large").Get("value"u8);
        value.Should().Equal(large ? Sample.Value(40_000, 1) : null);
    }

    private void ExpectRefusal() => ((Action)(() => StorageEnvironment.Open(_folder.Path))).Should().Throw<StorageException>();

    private Dictionary<string, byte[]> Files() =>
        Directory.GetFiles(_folder.Path, "*", SearchOption.AllDirectories).ToDictionary(static path => path, File.ReadAllBytes);

    /// <summary>Pages in use of one kind; those of no kind are free or never written.</summary>
    private List<long> PagesOf(PageKind kind)
    {
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        byte[] map = file[((int)FormatConstants.FirstSpaceMapPage.Value * Page)..];
        List<long> pages = [];
        for (int page = (int)FormatConstants.CatalogRootPage.Value + 1; page < file.Length / Page; page++)
        {
            bool isUsed = (map[PageHeader.SizeBytes + (page >> 3)] >> (page & 7) & 1) != 0;
            bool isHead = BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan((page * Page) + 8)) == page;
            if (isUsed && isHead && file[(page * Page) + 24] == (byte)kind)
            {
                pages.Add(page);
            }
        }

        return pages;
    }

    private void Rot(long page) => Change(file => file[(page * Page) + 100] ^= 4);

    private void Change(Action<byte[]> change)
    {
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        change(file);
        File.WriteAllBytes(Sample.Data(_folder), file);
    }
}
