using System.IO.Pipelines;
using FluentAssertions;
using Voron.Simulation.SelfTests;
using Voron.Storage;
using Xunit;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>
/// The file that makes a database a follower cannot be written or removed: no transaction is mixed with those of the source.
/// </summary>
public sealed class FollowerTests : IDisposable
{
    private readonly StorageEnvironment _source = Open(DiskFixture.NewDisk(seed: 2));
    private readonly SimDisk _disk = DiskFixture.NewDisk(seed: 1);

    public void Dispose() => _source.Dispose();

    [Theory]
    [InlineData(SimCallKind.Delete, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Delete, SimFaultEffect.Everything)]
    [InlineData(SimCallKind.SyncDirectory, SimFaultEffect.Nothing)]
    internal async Task After_a_refused_promotion_the_follower_takes_all_that_its_source_commits(SimCallKind call, SimFaultEffect effect)
    {
        // The position of a consumer of the source is what a promotion removes with a transaction.
        await _source.KeepChangesFromAsync("consumer", 0);
        Commit(0, 20);
        using StorageEnvironment follower = Open(_disk);
        await ApplyAsync(follower);
        Refuse(call, effect);
        await Awaiting(() => follower.PromoteAsync()).Should().ThrowAsync<StorageIOException>();
        Commit(20, 5);
        (await ApplyAsync(follower)).Transactions.Should().Be(1);
        Read(follower).Should().Be(25);
        await follower.PromoteAsync();
        follower.BeginWrite().Dispose();
    }

    [Theory]
    [InlineData(SimCallKind.Rename, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Rename, SimFaultEffect.Everything)]
    [InlineData(SimCallKind.SyncDirectory, SimFaultEffect.Nothing)]
    internal async Task A_database_that_may_be_a_follower_commits_nothing_of_its_own(SimCallKind call, SimFaultEffect effect)
    {
        Commit(0, 20);
        using (StorageEnvironment follower = Open(_disk))
        {
            Refuse(call, effect);
            await Awaiting(async () => await ApplyAsync(follower)).Should().ThrowAsync<StorageIOException>();
            follower.Invoking(static f => f.BeginWrite()).Should().Throw<StorageReadOnlyException>();
            await follower.PromoteAsync();
            follower.BeginWrite().Dispose();
            await ApplyAsync(follower);
            Read(follower).Should().Be(20);
        }

        using StorageEnvironment again = Open(_disk);
        again.Invoking(static f => f.BeginWrite()).Should().Throw<StorageReadOnlyException>();
        Commit(20, 5);
        (await ApplyAsync(again)).IsComplete.Should().BeTrue();
        Read(again).Should().Be(25);
    }

    private static StorageEnvironment Open(SimDisk disk) => StorageEnvironment.Open(
        Folder, new StorageOptions { Engine = new() { Disk = disk, Background = false }, KeepChangesBytes = 1 << 30 });

    private static Func<Task> Awaiting(Func<ValueTask> call) => () => call().AsTask();

    private void Commit(int first, int keys)
    {
        using WriteTransaction transaction = _source.BeginWrite();
        Put(transaction, Enumerable.Range(first, keys), 100);
        transaction.Commit();
    }

    private void Refuse(SimCallKind call, SimFaultEffect effect)
    {
        string path = call == SimCallKind.SyncDirectory ? Folder : "*";
        _disk.Faults.Add(new SimFault { Calls = call, Path = path, Times = 1, Effect = effect });
    }

    private async Task<ApplyReport> ApplyAsync(StorageEnvironment follower)
    {
        using MemoryStream stream = new();
        await _source.CopyChangesAsync(follower.GetReport().LastTransactionId, PipeWriter.Create(stream));
        stream.Position = 0;
        return await follower.ApplyAsync(PipeReader.Create(stream));
    }
}
