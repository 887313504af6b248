using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.History;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Multi-value trees where something else than a transaction reads or makes them: salvage, other processes, followers.</summary>
public sealed class MultiRescueTests : IDisposable
{
    private const int Page = 4096;
    private static readonly StorageOptions Small = new() { PageSize = Page };
    private static readonly StorageOptions ReadOnly = new() { ReadOnly = true };

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
    public void Salvage_brings_all_pairs_of_a_sound_database(bool isClosed)
    {
        string expected = Make(isClosed);
        SalvageReport report = StorageSalvage.Copy(_folder.Path, _target.Path);
        report.Losses.Should().BeEmpty();
        report.IsComplete.Should().BeTrue();
        report.Trees.Should().Be(PairSample.Trees.Count);
        Salvaged().Should().Be(expected);
    }

    [Fact]
    public void Salvage_brings_the_pairs_of_all_other_leaves()
    {
        string expected = Make(isClosed: true);
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        int leaf = Enumerable.Range(1, (file.Length / Page) - 1).Last(page =>
            System.Runtime.InteropServices.MemoryMarshal.Read<PageHeader>(file.AsSpan(page * Page)) is { Kind: PageKind.Leaf, Count: > 5 });
        file[(leaf * Page) + 100] ^= 1;
        File.WriteAllBytes(Sample.Data(_folder), file);

        SalvageReport report = StorageSalvage.Copy(_folder.Path, _target.Path);
        report.Losses.Should().ContainSingle().Which.PageNumber.Should().Be(leaf);
        report.IsComplete.Should().BeFalse();
        string[] before = Pairs(expected);
        string[] after = Pairs(Salvaged());
        after.Should().BeSubsetOf(before);
        after.Length.Should().BeInRange(before.Length - 500, before.Length - 1);
    }

    [Fact]
    public void Salvage_of_a_lost_catalog_keeps_the_pairs()
    {
        string expected = Make(isClosed: true);
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        file[((int)FormatConstants.CatalogRootPage.Value * Page) + 50] ^= 1;
        File.WriteAllBytes(Sample.Data(_folder), file);

        StorageSalvage.Copy(_folder.Path, _target.Path).IsComplete.Should().BeFalse();
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().NotBeEmpty().And.OnlyContain(static name => name.StartsWith("lost+found/page-"));

        // Nothing says any more that they are pairs, so their blocks come out as entries of ordered trees.
        long entries = read.TreeNames.Sum(name => read.OpenTree(name).Count);
        entries.Should().BePositive().And.BeLessThan(Pairs(expected).Length);
    }

    /// <summary>In an ordered tree of the same name, all but the last value of each key would be missing without a word.</summary>
    [Fact]
    public void Salvage_of_a_lost_catalog_puts_what_the_journal_has_of_unknown_trees_aside()
    {
        StorageOptions options = new() { PageSize = Page, JournalSoftLimitBytes = 1 << 20 };
        StorageEnvironment made = StorageEnvironment.Open(_folder.Path, options);
        for (int round = 1; round < 5; round++)
        {
            PairSample.Change(made, round, 4000);
            made.Checkpoint();
        }

        PairSample.Change(made, 5, 800);
        string expected = PairSample.Text(made);
        made.Database.Abandon();
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        file[((int)FormatConstants.CatalogRootPage.Value * Page) + 50] ^= 1;
        File.WriteAllBytes(Sample.Data(_folder), file);
        foreach (string images in Directory.GetFiles(Path.Combine(_folder.Path, "journal"), "*.pages"))
        {
            File.WriteAllBytes(images, new byte[new FileInfo(images).Length]);
        }

        SalvageReport report = StorageSalvage.Copy(_folder.Path, _target.Path);
        report.Losses.Should().ContainSingle(static loss => loss.Tree == PairSample.Any)
            .Which.Message.Should().Contain("'lost+found/any', of each key the last value");
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().Contain(["lost+found/any", "lost+found/fixed"]).And.OnlyContain(
            static name => name.StartsWith("lost+found/"));
        string[] pairs = Pairs(expected);
        foreach ((ReadOnlySpan<byte> key, _) in read.OpenTree("lost+found/any"))
        {
            string start = Convert.ToHexStringLower(key) + " ";
            pairs.Should().Contain(pair => pair.StartsWith(start), "'{0}' is a key of pairs", start);
        }
    }

    [Fact]
    public void A_reader_beside_the_writer_sees_the_durable_pairs_and_refreshes()
    {
        using StorageEnvironment writer = StorageEnvironment.Open(_folder.Path, Small);
        PairSample.Change(writer, 1, 2000);
        string before = PairSample.Text(writer);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, ReadOnly);
        PairSample.Text(reader).Should().Be(before);
        for (int round = 2; round < 8; round++)
        {
            PairSample.Change(writer, round, 400);
            if (round % 3 == 0)
            {
                writer.Checkpoint();
            }

            PairSample.Text(reader).Should().Be(before);
            reader.Refresh().Should().BeTrue();
            before = PairSample.Text(writer);
            PairSample.Text(reader).Should().Be(before);
        }
    }

    /// <summary>The first tree comes while the reader is open: the slot that announces it is one that the reader has not seen.</summary>
    [Fact]
    public void A_reader_that_came_before_the_first_such_tree_follows_it()
    {
        using StorageEnvironment writer = StorageEnvironment.Open(_folder.Path, Small);
        Sample.Put(writer, 0, 10);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, ReadOnly);
        PairSample.Change(writer, 1, 300);
        reader.Refresh().Should().BeTrue();
        PairSample.Text(reader).Should().Be(PairSample.Text(writer)).And.NotBeEmpty();
    }

    [Theory]
    [InlineData(null)]
    [InlineData(500)]
    public async Task A_follower_has_the_pairs_after_every_stream_and_every_kill(int? fragmentBytes)
    {
        StorageOptions fragments = new() { PageSize = Page, Engine = new() { FragmentBytes = fragmentBytes } };
        using StorageEnvironment source = StorageEnvironment.Open(_folder.Path, fragments);
        StorageEnvironment follower = StorageEnvironment.Open(_target.Path, Small);
        long seen = 0;
        for (int round = 0; round < 6; round++)
        {
            PairSample.Change(source, round, 600);
            PairSample.Change(source, round + 100, 50);
            (byte[] changes, BackupReport report) = await Streams.ChangesAsync(source, seen);
            seen = report.TransactionId;
            await follower.ApplyAsync(Streams.Reader(changes));
            PairSample.Text(follower).Should().Be(PairSample.Text(source));
            follower.Database.Abandon();
            follower = StorageEnvironment.Open(_target.Path, Small);
            PairSample.Text(follower).Should().Be(PairSample.Text(source));
        }

        follower.Check().Findings.Should().BeEmpty();
        follower.Dispose();
        HeaderSlot slot = System.Runtime.InteropServices.MemoryMarshal.Read<HeaderSlot>(File.ReadAllBytes(Sample.Data(_target)));
        slot.Features.Should().HaveFlag(FormatFeatures.MultiTrees, "the follower announces the trees that it applied");
    }

    private static string[] Pairs(string text) => [.. text.Split('\n').Where(static line => line.Length > 0 && !line.Contains(':'))];

    /// <summary>A database with pairs in its pages and in its journal; all of them as text.</summary>
    private string Make(bool isClosed)
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Small);
        PairSample.Change(environment, 1, 4000);
        environment.Checkpoint();
        PairSample.Change(environment, 2, 800);
        PairSample.Change(environment, 3, 800);
        string text = PairSample.Text(environment);
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

    private string Salvaged()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_target.Path);
        environment.Check().Findings.Should().BeEmpty();
        return PairSample.Text(environment);
    }
}
