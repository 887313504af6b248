using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.History;
using Voron.Storage.Tests.Transfer;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Fixed-size trees where something else than a transaction reads or makes them: check, salvage, streams, copies, dumps.</summary>
public sealed class FixedRescueTests : IDisposable
{
    private const int Page = 4096;
    private static readonly StorageOptions Small = new() { PageSize = Page };

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
    public void Salvage_brings_all_entries_of_a_sound_database(bool isClosed)
    {
        string expected = Make(isClosed);
        SalvageReport report = StorageSalvage.Copy(_folder.Path, _target.Path);
        report.Losses.Should().BeEmpty();
        report.IsComplete.Should().BeTrue();
        Content(_target.Path).Should().Be(expected);
    }

    [Fact]
    public void Salvage_brings_the_entries_of_all_other_leaves()
    {
        string expected = Make(isClosed: true);
        int leaf = Damage(static (_, page) => page[100] ^= 1, reseal: false);
        SalvageReport report = StorageSalvage.Copy(_folder.Path, _target.Path);
        report.Losses.Should().ContainSingle().Which.PageNumber.Should().Be(leaf);
        string[] after = Entries(Content(_target.Path));
        after.Should().BeSubsetOf(Entries(expected));
        after.Length.Should().BeInRange(Entries(expected).Length - 600, Entries(expected).Length - 1);
    }

    /// <summary>What a checksum cannot show: a block that a writer with a fault has sealed.</summary>
    [Theory]
    [InlineData(0, 2, "no block of columns")]
    [InlineData(1, 1, "no block of columns")]
    [InlineData(2, 0, "no block of columns")]
    [InlineData(3, 0xFF, "no block of columns")]
    [InlineData(11, 0x7F, "not in order")]
    public void A_damaged_block_is_found_and_never_read_out_of_bounds(int offset, byte value, string problem)
    {
        Make(isClosed: true);
        int leaf = Damage(
            (at, page) =>
            {
                page[at + offset] = value;
                page[at + 3] = offset == 2 ? (byte)0 : page[at + 3];
            },
            reseal: true);
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            environment.Check().Findings.Should().Contain(finding => finding.PageNumber == leaf && finding.Message.Contains(problem));
            Action walk = () => FixedSample.Text(environment);
            if (offset < 11)
            {
                walk.Should().Throw<StorageCorruptException>();
            }
        }

        StorageSalvage.Copy(_folder.Path, _target.Path);
        using StorageEnvironment target = StorageEnvironment.Open(_target.Path);
        target.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData(null)]
    [InlineData(500)]
    public async Task A_follower_has_the_entries_after_every_stream_and_every_kill(int? fragmentBytes)
    {
        StorageOptions fragments = new() { PageSize = Page, Engine = new() { FragmentBytes = fragmentBytes } };
        using StorageEnvironment source = StorageEnvironment.Open(_folder.Path, fragments);
        StorageEnvironment follower = StorageEnvironment.Open(_target.Path, Small);
        long seen = 0;
        for (int round = 0; round < 5; round++)
        {
            FixedSample.Change(source, round, 600);
            FixedSample.Change(source, round + 100, 50);
            (byte[] changes, BackupReport report) = await Streams.ChangesAsync(source, seen);
            seen = report.TransactionId;
            await follower.ApplyAsync(Streams.Reader(changes));
            FixedSample.Text(follower).Should().Be(FixedSample.Text(source));
            follower.Database.Abandon();
            follower = StorageEnvironment.Open(_target.Path, Small);
            FixedSample.Text(follower).Should().Be(FixedSample.Text(source));
        }

        follower.Check().Findings.Should().BeEmpty();
        follower.Dispose();
        MemoryMarshal.Read<HeaderSlot>(File.ReadAllBytes(Sample.Data(_target))).Features.Should().HaveFlag(FormatFeatures.FixedTrees);
    }

    [Fact]
    public async Task Copies_and_backups_have_the_entries()
    {
        string copy = Path.Combine(_target.Path, "copy");
        string restored = Path.Combine(_target.Path, "restored");
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Small);
        FixedSample.Change(environment, 1, 30_000);
        await environment.CopyToAsync(copy);
        (byte[] backup, _) = await Streams.FullAsync(environment);
        await Streams.RestoreAsync(restored, null, backup);
        string expected = FixedSample.Text(environment);
        Content(copy).Should().Be(expected);
        Content(restored).Should().Be(expected);
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 7)]
    public void A_dump_comes_back_with_shapes_and_entries(bool print, int entriesPerTransaction)
    {
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        FixedSample.Change(source, 5, 3_000);
        byte[] dump = Dumps.Of(source, new DumpOptions { Print = print });
        LoadReport report = Dumps.Load(target, dump, new LoadOptions { EntriesPerTransaction = entriesPerTransaction });
        report.Warnings.Should().BeEmpty();
        FixedSample.Text(target).Should().Be(FixedSample.Text(source));
        Dumps.Of(target, new DumpOptions { Print = print }).Should().Equal(dump);
        Dumps.Load(target, dump, new LoadOptions { NoOverwrite = true }).Skipped.Should().Be(report.Entries);
        target.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData("voron_key_type=Int64\nvoron_value_bytes=1\n", " 0000\n 00\n", 8)]
    [InlineData("voron_key_type=Int64\nvoron_value_bytes=1\n", " 0000000000000000\n 0000\n", 8)]
    [InlineData("voron_key_type=Double\nvoron_value_bytes=0\n", " ffffffffffffffff\n \n", 8)]
    [InlineData("voron_key_type=Single\n", "", 4)]
    public void A_dump_that_is_none_of_such_a_tree_is_refused_by_its_line(string lines, string entries, long line)
    {
        using StorageEnvironment target = StorageEnvironment.OpenInMemory();
        string dump = $"VERSION=3\nformat=bytevalue\ndatabase=t\n{lines}type=btree\nHEADER=END\n{entries}DATA=END\n";
        Action load = () => Dumps.Load(target, dump);
        load.Should().Throw<DumpFormatException>().Which.Line.Should().Be(line);
    }

    private static string[] Entries(string text) => [.. text.Split('\n').Where(static line => line.Length > 0 && !line.Contains(':'))];

    /// <summary>Changes the last leaf with a block of columns; the action gets where the block begins. Returns its page.</summary>
    private int Damage(Action<int, byte[]> change, bool reseal)
    {
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        for (int number = (file.Length / Page) - 1; ; number--)
        {
            byte[] page = file[(number * Page)..((number + 1) * Page)];
            PageHeader header = MemoryMarshal.Read<PageHeader>(page);
            NodeSlot slot = MemoryMarshal.Read<NodeSlot>(page.AsSpan(PageHeader.SizeBytes));
            if (header.Kind != PageKind.Leaf || header.Count is 0 or > 6 || (slot.KeyLength & 0x7FFF) + header.PrefixBytes != sizeof(long))
            {
                continue;
            }

            int block = slot.Offset + sizeof(ushort) + (slot.KeyLength & 0x7FFF);
            change(block, page);
            if (reseal)
            {
                BitConverter.TryWriteBytes(page, Checksum.Compute(page.AsSpan(sizeof(ulong))));
            }

            page.CopyTo(file, number * Page);
            File.WriteAllBytes(Sample.Data(_folder), file);
            return number;
        }
    }

    /// <summary>A database with entries in its pages and in its journal; all of them as text.</summary>
    private string Make(bool isClosed)
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Small);
        FixedSample.Change(environment, 1, 4_000);
        environment.Checkpoint();
        FixedSample.Change(environment, 2, 800);
        FixedSample.Change(environment, 3, 800);
        string text = FixedSample.Text(environment);
        if (isClosed)
        {
            environment.Dispose();
        }
        else
        {
            environment.Database.Abandon();
        }

        return text;
    }

    private static string Content(string path)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(path);
        environment.Check().Findings.Should().BeEmpty();
        return FixedSample.Text(environment);
    }
}
