using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Transfer;
using Xunit;

namespace Voron.Storage.Tests.History;

public sealed class ApplyTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(101, null)]
    [InlineData(102, 300)]
    [InlineData(103, 20_000)]
    public async Task A_follower_of_the_whole_history_is_equal(int seed, int? fragmentBytes)
    {
        using StorageEnvironment source = Open("source", fragmentBytes);
        StorageEnvironment follower = Open("follower", 1000);
        HistoryWorkload workload = new(seed, largestValue: 40_000);
        for (int round = 0; round < 6; round++)
        {
            workload.Run(source, 30);
            long before = Newest(follower);
            (byte[] changes, BackupReport report) = await Streams.ChangesAsync(source, before);
            ApplyReport applied = await follower.ApplyAsync(Streams.Reader(changes));
            applied.Should().Be(new ApplyReport(Newest(source), report.DatabaseId, Newest(source) - before, IsComplete: true));
            (await follower.ApplyAsync(Streams.Reader(changes))).Transactions.Should().Be(0);
            Dumps.Entries(follower).Should().Be(Dumps.Entries(source));
            follower.Database.Abandon();
            follower = Open("follower", 1000);
        }

        follower.Check().Findings.Should().BeEmpty();
        FluentActions.Invoking(() => follower.BeginWrite()).Should().Throw<StorageReadOnlyException>()
            .Which.Message.Should().Contain("follower");
        (byte[] own, BackupReport chained) = await Streams.ChangesAsync(follower, 0);
        using StorageEnvironment third = StorageEnvironment.OpenInMemory();
        (await third.ApplyAsync(Streams.Reader(own))).DatabaseId.Should().Be(chained.DatabaseId);
        Dumps.Entries(third).Should().Be(Dumps.Entries(source));
        await follower.PromoteAsync();
        Sample.Put(follower, 0, 10);
        Func<Task> again = () => follower.ApplyAsync(Streams.Reader(own)).AsTask();
        await again.Should().ThrowAsync<InvalidOperationException>();
        follower.Dispose();
    }

    [Fact]
    public async Task A_stream_that_is_cut_applies_whole_transactions()
    {
        using StorageEnvironment source = Open("source", 2000);
        new HistoryWorkload(111, largestValue: 40_000).Run(source, 20);
        (byte[] changes, _) = await Streams.ChangesAsync(source, 0);
        using StorageEnvironment follower = StorageEnvironment.OpenInMemory();
        long last = 0;
        for (int i = 1; i <= 20; i++)
        {
            ApplyReport report = await follower.ApplyAsync(Streams.Reader(changes, (int)Math.Max(200, changes.Length * (long)i / 20)));
            report.IsComplete.Should().Be(i == 20);
            report.TransactionId.Should().BeGreaterThanOrEqualTo(last);
            last = report.TransactionId;
        }

        last.Should().Be(Newest(source));
        Dumps.Entries(follower).Should().Be(Dumps.Entries(source));
    }

    [Fact]
    public async Task A_restored_follower_goes_on_with_the_live_stream()
    {
        using StorageEnvironment source = Open("source", null);
        HistoryWorkload workload = new(121, largestValue: 40_000);
        workload.Run(source, 20);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        string target = Path.Combine(_folder.Path, "target");
        await Streams.RestoreAsync(target, new RestoreOptions { AsFollower = true }, full);
        using StorageEnvironment follower = StorageEnvironment.Open(target);
        FluentActions.Invoking(() => follower.BeginWrite()).Should().Throw<StorageReadOnlyException>();
        Pipe pipe = new();
        using CancellationTokenSource stop = new();
        Task copying = source.CopyChangesAsync(
            report.TransactionId, pipe.Writer, new CopyChangesOptions { Follow = true }, stop.Token).AsTask();
        Task<ApplyReport> applying = follower.ApplyAsync(pipe.Reader).AsTask();
        for (int i = 0; i < 20; i++)
        {
            workload.Run(source, 5);
            source.Flush();
            while (Newest(follower) < Newest(source))
            {
                applying.IsCompleted.Should().BeFalse(applying.Exception?.ToString());
                await Task.Delay(1);
            }

            Dumps.Entries(follower).Should().Be(Dumps.Entries(source));
            source.Checkpoint();
        }

        await stop.CancelAsync();
        await FluentActions.Awaiting(() => copying).Should().ThrowAsync<OperationCanceledException>();
        await pipe.Writer.CompleteAsync();
        (await applying).Should().Be(new ApplyReport(
            Newest(source), report.DatabaseId, Newest(source) - report.TransactionId, IsComplete: false));
    }

    [Fact]
    public async Task What_does_not_fit_is_refused()
    {
        using StorageEnvironment source = Open("source", null);
        Sample.Put(source, 0, 10);
        Sample.Put(source, 0, 10);
        (byte[] full, _) = await Streams.FullAsync(source);
        (byte[] later, _) = await Streams.ChangesAsync(source, 1);
        (byte[] all, _) = await Streams.ChangesAsync(source, 0);
        using StorageEnvironment follower = StorageEnvironment.OpenInMemory();
        await Refused<ChangesGoneException>(follower, later);
        await Refused<InvalidOperationException>(follower, full);
        await Refused<InvalidOperationException>(source, all);
        await follower.ApplyAsync(Streams.Reader(all));
        using StorageEnvironment stranger = StorageEnvironment.OpenInMemory();
        Sample.Put(stranger, 0, 10);
        (byte[] foreign, _) = await Streams.ChangesAsync(stranger, 0);
        await Refused<ChangesGoneException>(follower, foreign);
        byte[] rotten = [.. all];
        rotten[^40] ^= 1;
        await Refused<BackupFormatException>(follower, rotten);
        await Refused<BackupFormatException>(follower, new byte[200]);
    }

    private static async Task Refused<TException>(StorageEnvironment environment, byte[] stream)
        where TException : Exception
    {
        Func<Task> apply = () => environment.ApplyAsync(Streams.Reader(stream)).AsTask();
        await apply.Should().ThrowAsync<TException>();
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    private StorageEnvironment Open(string name, int? fragmentBytes) => StorageEnvironment.Open(
        Path.Combine(_folder.Path, name), new StorageOptions { Engine = new EngineSettings { FragmentBytes = fragmentBytes } });
}
