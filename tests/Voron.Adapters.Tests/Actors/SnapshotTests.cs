using Akka.Actor;
using Akka.Persistence;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Adapters.Tests.Actors;

/// <summary>The protocol of snapshot stores.</summary>
public sealed class SnapshotTests : IAsyncDisposable
{
    private static readonly DateTime Start = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();
    private readonly OneSystem _one;

    public SnapshotTests() => _one = new OneSystem(_environment);

    public async ValueTask DisposeAsync()
    {
        await _one.DisposeAsync();
        _environment.Dispose();
    }

    [Fact]
    public async Task The_newest_within_the_criteria_is_loaded()
    {
        await SaveFiveAsync();
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().Be("s-5 at 15");
        (await LoadAsync(new SnapshotSelectionCriteria(13))).Should().Be("s-3 at 13");
        (await LoadAsync(SnapshotSelectionCriteria.Latest, to: 13)).Should().Be("s-3 at 13");
        (await LoadAsync(new SnapshotSelectionCriteria(long.MaxValue, TimeOf(2)))).Should().Be("s-2 at 12");
        (await LoadAsync(new SnapshotSelectionCriteria(7))).Should().BeNull();
        (await LoadAsync(new SnapshotSelectionCriteria(long.MaxValue, new DateTime(100_000)))).Should().BeNull();
        (await LoadAsync(new SnapshotSelectionCriteria(13, DateTime.MaxValue, 14))).Should().BeNull();
        (await LoadAsync(SnapshotSelectionCriteria.None)).Should().BeNull();
        (await LoadAsync(SnapshotSelectionCriteria.Latest, id: "other")).Should().BeNull();
    }

    [Fact]
    public async Task A_snapshot_of_the_same_number_is_replaced()
    {
        await SaveFiveAsync();
        await SaveAsync(5, "changed");
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().Be("changed at 15");
    }

    [Fact]
    public async Task One_is_deleted_unless_it_is_newer_than_the_given_time()
    {
        await SaveFiveAsync();
        await DeleteAsync(new SnapshotMetadata("p", 15, TimeOf(5).AddTicks(-1)));
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().Be("s-5 at 15");
        await DeleteAsync(new SnapshotMetadata("p", 15, TimeOf(5)));
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().Be("s-4 at 14");
        await DeleteAsync(new SnapshotMetadata("p", 14, DateTime.MinValue));
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().Be("s-3 at 13");
    }

    [Fact]
    public async Task All_within_the_criteria_are_deleted()
    {
        await SaveFiveAsync();
        await DeleteAllAsync(new SnapshotSelectionCriteria(14, TimeOf(4).AddTicks(-1)));
        (await LoadAsync(new SnapshotSelectionCriteria(13))).Should().BeNull();
        (await LoadAsync(new SnapshotSelectionCriteria(14))).Should().Be("s-4 at 14");
        await DeleteAllAsync(SnapshotSelectionCriteria.Latest);
        (await LoadAsync(SnapshotSelectionCriteria.Latest)).Should().BeNull();
    }

    [Fact]
    public async Task A_long_snapshot_comes_back()
    {
        byte[] bytes = new byte[1 << 20];
        Random.Shared.NextBytes(bytes);
        _one.Snapshots.Tell(new SaveSnapshot(new SnapshotMetadata("p", 1, Start), bytes), _one.Inbox.Receiver);
        await _one.NextAsync<SaveSnapshotSuccess>();
        _one.Snapshots.Tell(new LoadSnapshot("p", SnapshotSelectionCriteria.Latest, long.MaxValue), _one.Inbox.Receiver);
        ((byte[])(await _one.NextAsync<LoadSnapshotResult>()).Snapshot.Snapshot).AsSpan().SequenceEqual(bytes).Should().BeTrue();
    }

    private static DateTime TimeOf(int number) => Start.AddSeconds(number);

    private async Task SaveFiveAsync()
    {
        for (int i = 1; i <= 5; i++)
        {
            await SaveAsync(i, $"s-{i}");
        }
    }

    private async Task SaveAsync(int number, string snapshot)
    {
        _one.Snapshots.Tell(new SaveSnapshot(new SnapshotMetadata("p", number + 10, TimeOf(number)), snapshot), _one.Inbox.Receiver);
        await _one.NextAsync<SaveSnapshotSuccess>();
    }

    private async Task<string?> LoadAsync(SnapshotSelectionCriteria criteria, long to = long.MaxValue, string id = "p")
    {
        _one.Snapshots.Tell(new LoadSnapshot(id, criteria, to), _one.Inbox.Receiver);
        SelectedSnapshot? loaded = (await _one.NextAsync<LoadSnapshotResult>()).Snapshot;
        loaded?.Metadata.Timestamp.Kind.Should().Be(DateTimeKind.Utc);
        return loaded is null ? null : $"{loaded.Snapshot} at {loaded.Metadata.SequenceNr}";
    }

    private async Task DeleteAsync(SnapshotMetadata metadata)
    {
        _one.Snapshots.Tell(new DeleteSnapshot(metadata), _one.Inbox.Receiver);
        await _one.NextAsync<DeleteSnapshotSuccess>();
    }

    private async Task DeleteAllAsync(SnapshotSelectionCriteria criteria)
    {
        _one.Snapshots.Tell(new DeleteSnapshots("p", criteria), _one.Inbox.Receiver);
        await _one.NextAsync<DeleteSnapshotsSuccess>();
    }
}
