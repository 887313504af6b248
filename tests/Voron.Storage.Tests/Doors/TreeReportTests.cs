using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What a tree says it is made of.</summary>
public class TreeReportTests
{
    [Fact]
    public void An_empty_tree_is_one_leaf()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        TreeReport report = transaction.OpenTree("t").GetReport();
        (report.Entries, report.Depth, report.BranchPages, report.LeafPages, report.OverflowPages).Should().Be((0L, 1, 0L, 1L, 0L));
        report.LeafFill.Should().BeLessThan(0.01);
        report.AllocatedBytes.Should().Be(report.PageBytes);
    }

    [Fact]
    public void Pages_are_counted_by_kind_and_an_ascending_fill_is_full()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Load(Enumerable.Range(0, 20_000).Select(static i =>
            new KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(Sample.Key(i), Sample.Value(100, i))));
        TreeReport full = tree.GetReport();
        full.Entries.Should().Be(20_000);
        full.Depth.Should().Be(3);
        full.LeafFill.Should().BeGreaterThan(0.95);
        full.BranchPages.Should().BeInRange(2, full.LeafPages / 50);
        full.AllocatedBytes.Should().BeLessThan((long)(20_000 * 104 * 1.12));
        PipeWriter writer = tree.OpenValueWriter(Sample.Key(20_001));
        writer.Write(Sample.Value(3 << 20, 1));
        writer.Complete();
        tree.Put(Sample.Key(20_000), Sample.Value(5000, 1));
        TreeReport large = tree.GetReport();
        large.OverflowBytes.Should().Be((3 << 20) + 5000);
        large.OverflowPages.Should().Be((3 * 257) + 1 + 2);
        ((ReadTree)tree).GetReport().Should().Be(large);
        tree.DeleteRange(Sample.Key(100), Sample.Key(30_000));
        tree.GetReport().Entries.Should().Be(100);
        tree.GetReport().OverflowPages.Should().Be(0);
    }
}
