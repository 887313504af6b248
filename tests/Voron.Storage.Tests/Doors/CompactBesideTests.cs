using System.Buffers;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Readers, feeds and writers beside a compaction.</summary>
public sealed class CompactBesideTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_reader_keeps_what_it_sees_and_the_file_shrinks_when_it_ends()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactSample.Fill(environment, 20_000, 200);
        environment.Checkpoint();
        using (ReadTransaction reader = environment.BeginRead())
        {
            CompactSample.DeleteAllBut(environment, 20_000, oneIn: 20);
            CompactReport held = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
            held.FileBytesAfter.Should().BeGreaterThan(held.UsedBytes * 2, "the reader has pages at the end");
            ReadTree tree = reader.OpenTree(Sample.Tree);
            tree.Count.Should().Be(20_000);
            for (int i = 0; i < 20_000; i++)
            {
                tree.Get(CompactSample.Scattered(i)).Should().Equal(Sample.Value(200, i));
            }
        }

        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        CompactSample.ExpectShort(report);
        CompactSample.Expect(environment, 20_000, 20, 200);
    }

    [Fact]
    public async Task A_move_is_no_change_to_a_feed()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactSample.Fill(environment, 10_000, 200);
        CompactSample.DeleteAllBut(environment, 10_000, oneIn: 20);
        long before = environment.GetReport().LastTransactionId;
        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        report.MovedPages.Should().BePositive();
        Sample.Put(environment, 0, 1);
        await foreach (ChangeSet set in environment.ReadChangesAsync(before, cancellationToken: Stop))
        {
            set.TransactionId.Should().Be(environment.GetReport().LastTransactionId, "only the put is a change");
            set.Should().ContainSingle().Which.Kind.Should().Be(ChangeKind.Put);
            break;
        }
    }

    /// <summary>What a position has not passed is read from its place in the data file, so it stays there.</summary>
    [Fact]
    public async Task A_kept_position_finds_the_large_values_after_it()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder, keepChangesBytes: 64 << 20);
        CompactSample.Fill(environment, 20_000, 200);
        long position = environment.GetReport().LastTransactionId;
        await environment.KeepChangesFromAsync("reader", position, Stop);
        byte[] value = Sample.Value(300_000, 7);
        CompactSample.PutLong(environment, 1, value, isStream: false);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.DropTree(Sample.Tree);
            transaction.Commit();
        }

        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        report.FileBytesAfter.Should().BeGreaterThan(20_000 * 200, "the value is at the end");
        CompactSample.Fill(environment, 20_000, 200);
        environment.Checkpoint();
        List<byte[]> shown = [];
        await foreach (ChangeSet set in environment.ReadChangesAsync(position, new ChangeFilter { Trees = ["values"] }, Stop))
        {
            shown.AddRange(set.Where(static change => change.Kind == ChangeKind.Put).Select(static change => change.Value.ToArray()));
            if (shown.Count > 0)
            {
                break;
            }
        }

        shown.Should().ContainSingle().Which.Should().Equal(value);
        await environment.KeepChangesFromAsync("reader", environment.GetReport().LastTransactionId, Stop);
        CompactSample.DeleteAllBut(environment, 20_000, oneIn: 1_000);
        report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        CompactSample.ExpectShort(report, "it has passed");
        CompactSample.ExpectValues(environment, new() { [1] = value });
    }

    [Fact]
    public async Task Readers_of_other_environments_follow_a_compaction()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactSample.Fill(environment, 20_000, 200);
        environment.Checkpoint();
        using StorageEnvironment other = StorageEnvironment.Open(_folder.Path, new StorageOptions { ReadOnly = true });
        Dictionary<int, byte[]> values = [];
        for (int i = 0; i < 20; i++)
        {
            CompactSample.PutLong(environment, i, values[i] = Sample.Value(100_000, i), isStream: i % 2 == 0);
        }

        CompactSample.DeleteAllBut(environment, 20_000, oneIn: 50);
        other.Refresh().Should().BeTrue();
        await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        CompactSample.ExpectValues(other, values);
        other.Refresh();
        CompactSample.Fill(environment, 5_000, 200, first: 100_000);
        environment.Checkpoint();
        CompactSample.Expect(other, 20_000, 50, 200);
        CompactSample.ExpectValues(other, values);
        other.Refresh();
        CompactSample.ExpectValues(other, values);
    }

    [Fact]
    public async Task Writers_go_on_meanwhile()
    {
        StorageOptions options = new() { PageSize = CompactSample.PageBytes };
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options);
        CompactSample.Fill(environment, 60_000, 150);
        environment.Checkpoint();
        CompactSample.DeleteAllBut(environment, 60_000, oneIn: 10);
        using CancellationTokenSource done = new();
        int committed = 0;
        Task writer = Task.Run(
            () =>
            {
                while (!done.IsCancellationRequested || committed < 100)
                {
                    CompactSample.Fill(environment, 10, 150, first: 1_000_000 + (committed % 500 * 10));
                    committed++;
                }
            },
            Stop);
        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        await done.CancelAsync();
        await writer;
        report.FileBytesAfter.Should().BeLessThan(report.FileBytesBefore / 3);
        int more = Math.Min(committed, 500) * 10;
        using (ReadTransaction read = environment.BeginRead())
        {
            ReadTree tree = read.OpenTree(Sample.Tree);
            tree.Count.Should().Be(6_000 + more);
            for (int i = 1_000_000; i < 1_000_000 + more; i++)
            {
                tree.Get(CompactSample.Scattered(i)).Should().Equal(Sample.Value(150, i));
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }
}
