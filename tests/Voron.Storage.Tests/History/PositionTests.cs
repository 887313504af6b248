using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.History;

public sealed class PositionTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly List<StorageEvent> _events = [];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Changes_after_a_position_stay_over_checkpoints_kills_and_closes(bool closes)
    {
        using Follower follower = new();
        HistoryWorkload workload = new(41, largestValue: 30_000);
        StorageEnvironment source = Open(64 << 20);
        workload.Run(source, 20);
        await follower.FollowAsync(source, Newest(source));
        await source.KeepChangesFromAsync("follower", follower.Seen);
        for (int round = 0; round < 4; round++)
        {
            for (int i = 0; i < 10; i++)
            {
                workload.Run(source, 10);
                source.Checkpoint();
            }

            End(source, closes);
            source = Open(64 << 20);
        }

        await follower.FollowAsync(source, Newest(source));
        follower.Expect(source);
        await source.KeepChangesFromAsync("follower", follower.Seen);
        long before = source.GetReport().JournalBytes;
        workload.Run(source, 10);
        source.Checkpoint();
        source.GetReport().JournalBytes.Should().BeLessThan(before, "the consumer has advanced");
        using (ReadTransaction read = source.BeginRead())
        {
            read.TreeNames.Should().NotContain("@feeds");
            ReadTransaction same = read;
            FluentActions.Invoking(() => same.TryOpenTree("@feeds", out _)).Should().Throw<ArgumentException>();
        }

        _events.Should().NotContain(static told => told.Kind == StorageEventKind.ChangesDropped);
        source.Database.Abandon();
    }

    [Fact]
    public async Task The_oldest_position_that_holds_too_much_is_dropped()
    {
        const int MostBytes = 4 << 20;
        using StorageEnvironment source = StorageEnvironment.Open(
            _folder.Path,
            new StorageOptions { KeepChangesBytes = MostBytes, OnEvent = _events.Add, JournalSoftLimitBytes = 1 << 20 });
        Sample.Put(source, 0, 10);
        await source.KeepChangesFromAsync("old", 1);
        long newest = 0;
        for (int i = 0; i < 40; i++)
        {
            Sample.Put(source, 0, 1000, 300);
            newest = Newest(source);
            await source.KeepChangesFromAsync("young", newest);
            source.Checkpoint();
        }

        _events.Where(static told => told.Kind == StorageEventKind.ChangesDropped).Should().ContainSingle()
            .Which.Message.Should().Contain("'old'").And.Contain("KeepChangesBytes");
        source.GetReport().JournalBytes.Should().BeLessThan(3 * MostBytes);
        Func<Task> old = () => source.KeepChangesFromAsync("old", 1).AsTask();
        (await old.Should().ThrowAsync<ChangesGoneException>()).Which.Oldest.Should().BeInRange(2, newest + 1);
        (await source.StopKeepingChangesAsync("old")).Should().BeFalse();
        (await source.StopKeepingChangesAsync("young")).Should().BeTrue();
        (await source.StopKeepingChangesAsync("young")).Should().BeFalse();
    }

    /// <summary>The chunk in which it stands gets other content, or is shortened piece by piece before it is deleted.</summary>
    [Fact]
    public async Task A_reader_whose_position_is_dropped_is_told_where_to_go_on()
    {
        const int MostBytes = 4 << 20;
        using StorageEnvironment source = StorageEnvironment.Open(
            _folder.Path, new StorageOptions { KeepChangesBytes = MostBytes, JournalSoftLimitBytes = 1 << 20 });
        Sample.Put(source, 0, 10);
        await source.KeepChangesFromAsync("slow", 1);
        Sample.Put(source, 0, 1000, 300);
        Sample.Put(source, 0, 1000, 300);
        await using IAsyncEnumerator<ChangeSet> reading = source.ReadChangesAsync(1).GetAsyncEnumerator();
        (await reading.MoveNextAsync()).Should().BeTrue();
        for (int i = 0; i < 40; i++)
        {
            Sample.Put(source, 0, 1000, 300);
            source.Checkpoint();
        }

        long newest = Newest(source);
        Func<Task> goOn = async () =>
        {
            while (reading.Current.TransactionId < newest && await reading.MoveNextAsync())
            {
                reading.Current.Should().HaveCount(1000);
            }
        };
        (await goOn.Should().ThrowAsync<ChangesGoneException>()).Which.Oldest.Should().BeInRange(3, newest);
    }

    [Fact]
    public async Task Without_the_option_there_are_no_positions()
    {
        using (StorageEnvironment source = Open(0))
        {
            Func<Task> keep = () => source.KeepChangesFromAsync("x", 0).AsTask();
            await keep.Should().ThrowAsync<InvalidOperationException>();
        }

        using (StorageEnvironment source = Open(1 << 20))
        {
            Func<Task> tooNew = () => source.KeepChangesFromAsync("x", 1).AsTask();
            await tooNew.Should().ThrowAsync<ArgumentOutOfRangeException>();
            Func<Task> tooLong = () => source.KeepChangesFromAsync(new string('x', 256), 0).AsTask();
            await tooLong.Should().ThrowAsync<ArgumentException>();
            await source.KeepChangesFromAsync("x", 0);
            source.Check().IsClean.Should().BeTrue();
        }
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    private static void End(StorageEnvironment environment, bool closes)
    {
        if (closes)
        {
            environment.Dispose();
        }
        else
        {
            environment.Database.Abandon();
        }
    }

    private StorageEnvironment Open(long keepBytes) => StorageEnvironment.Open(
        _folder.Path, new StorageOptions { KeepChangesBytes = keepBytes, OnEvent = _events.Add });
}
