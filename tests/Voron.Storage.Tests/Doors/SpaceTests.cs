using System.IO.Pipelines;
using System.Text;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

public class SpaceTests
{
    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void Each_page_has_one_use_and_trees_have_the_pages_of_their_reports(int pageBytes)
    {
        using StorageEnvironment environment = Filled(pageBytes);
        environment.Checkpoint();
        (SpaceReport space, PageRun[] pages) = Read(environment);
        space.PageBytes.Should().Be(pageBytes);
        space.TransactionId.Should().Be(1);
        space.FilePages.Should().Be(space.Pages);
        pages.Count(static page => page.Use == PageUse.Header).Should().Be(2);
        pages.Count(static page => page.Use == PageUse.Catalog).Should().Be(1);
        pages.Count(static page => page.Use == PageUse.SpaceMap).Should().BeGreaterThan(0);
        pages.LongCount(static page => page.Use == PageUse.Free).Should().Be(space.FreePages);
        environment.GetReport().FreeBytes.Should().Be(space.FreePages * pageBytes);
        using ReadTransaction transaction = environment.BeginRead();
        space.Trees.Select(static tree => Encoding.UTF8.GetString(tree.NameBytes.Span)).Should().Equal("empty", "users", "values");
        for (int i = 0; i < space.Trees.Count; i++)
        {
            TreeSpace tree = space.Trees[i];
            TreeReport report = transaction.OpenTree(tree.NameBytes.Span).GetReport();
            tree.Entries.Should().Be(report.Entries);
            tree.Levels.Should().HaveCount(report.Depth);
            tree.Levels[^1].Pages.Should().Be(report.LeafPages);
            tree.Levels[^1].Fill.Should().BeApproximately(report.LeafFill, 1e-9);
            tree.Levels.Sum(static level => level.Pages).Should().Be(report.LeafPages + report.BranchPages);
            tree.Levels.Should().OnlyContain(static level => level.PagesByFill.Sum() == level.Pages && level.PagesByFill.Count == 10);
            tree.OverflowPages.Should().Be(report.OverflowPages);
            pages.LongCount(page => page.Tree == i).Should().Be(tree.Pages);
            pages.LongCount(page => page.Tree == i && page.Use == PageUse.Overflow).Should().Be(report.OverflowPages);
        }
    }

    [Fact]
    public void Pages_that_only_the_checkpoint_uses_are_held_until_the_next_one()
    {
        using StorageEnvironment environment = Filled(4096);
        environment.Checkpoint();
        (SpaceReport before, _) = Read(environment);
        before.HeldPages.Should().Be(0);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.DropTree("users");
            transaction.Commit();
        }

        (SpaceReport dropped, PageRun[] pages) = Read(environment);
        dropped.HeldPages.Should().BeGreaterThanOrEqualTo(before.Trees[1].Pages);
        pages.LongCount(static page => page.Use == PageUse.Held).Should().Be(dropped.HeldPages);
        environment.Checkpoint();
        (SpaceReport after, _) = Read(environment);
        after.HeldPages.Should().Be(0);
    }

    [Fact]
    public void Pages_that_are_not_in_the_file_yet_count()
    {
        using StorageEnvironment environment = Filled(4096);
        (SpaceReport space, PageRun[] pages) = Read(environment);
        pages.Should().HaveCount((int)space.Pages);
        space.Pages.Should().BeGreaterThanOrEqualTo(space.FilePages);
        using CancellationTokenSource stop = new();
        stop.Cancel();
        Action read = () => StorageSpace.Read(environment, null, stop.Token);
        read.Should().Throw<OperationCanceledException>();
        environment.GetReport().OpenReaders.Should().Be(0);
    }

    /// <summary>The report, and a run of one page for each page in order.</summary>
    private static (SpaceReport Report, PageRun[] Pages) Read(StorageEnvironment environment)
    {
        List<PageRun> runs = [];
        SpaceReport report = StorageSpace.Read(environment, runs.Add);
        PageRun[] pages = new PageRun[report.Pages];
        foreach (PageRun run in runs)
        {
            for (long page = run.FirstPage; page < run.FirstPage + run.Pages; page++)
            {
                pages[page].Pages.Should().Be(0, "page {0} is in one run only", page);
                pages[page] = run with { FirstPage = page, Pages = 1 };
            }
        }

        pages.Should().OnlyContain(static page => page.Pages == 1);
        return (report, pages);
    }

    private static StorageEnvironment Filled(int pageBytes)
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree users = transaction.OpenTree("users");
        Random random = new(1);
        for (int i = 0; i < 20_000; i++)
        {
            users.Put(Encoding.ASCII.GetBytes($"user:{random.Next(1_000_000):d8}"), new byte[random.Next(100)]);
        }

        Tree values = transaction.OpenTree("values");
        values.Put("run"u8, new byte[300_000]);
        PipeWriter writer = values.OpenValueWriter("pieces"u8);
        writer.WriteAsync(new byte[2_500_000]).AsTask().GetAwaiter().GetResult();
        writer.Complete();
        transaction.OpenTree("empty");
        transaction.Commit();
        return environment;
    }
}
