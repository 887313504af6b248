using FluentAssertions;
using Voron.Storage.Replication.Core;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Logs and folders that are not what they should be: nodes begin anew, or stop by name.</summary>
public sealed class DisasterTests
{
    [Fact]
    public async Task A_node_that_the_log_was_trimmed_beyond_begins_from_a_snapshot()
    {
        await using Cluster cluster = new();
        FolderSnapshots snapshots = new(cluster.FolderOf("snapshots"));
        cluster.Configure = options => options.Snapshots = snapshots;
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await cluster.StartAsync("b", mayLead: false);
        await Cluster.PutAsync(leader, "k", "0");
        await cluster.AreEqualAsync();
        await cluster.StopAsync("b");
        for (int i = 1; i < 4; i++)
        {
            await Cluster.PutAsync(leader, $"k{i}", "v");
            await leader.ReadBarrierAsync();
            (await leader.SnapshotAsync()).TransactionId.Should().BePositive();
        }

        (await snapshots.ListAsync(CancellationToken.None)).Should().HaveCount(2);
        Replica behind = await cluster.StartAsync("b", mayLead: false);
        Replica anew = await cluster.StartAsync("c", mayLead: false);
        await Cluster.PutAsync(leader, "last", "v");
        await cluster.AreEqualAsync();
        behind.Status.Failure.Should().BeNull();
        anew.Status.Failure.Should().BeNull();
    }

    [Fact]
    public async Task A_leader_writes_snapshots_by_itself_and_trims_the_log()
    {
        await using Cluster cluster = new();
        FolderSnapshots snapshots = new(cluster.FolderOf("snapshots"));
        cluster.Configure = options => (options.Snapshots, options.SnapshotEvery) = (snapshots, 50_000);
        await cluster.StartAsync("a");
        await cluster.StartAsync("b", mayLead: false);
        Replica leader = await cluster.LeaderAsync();
        string value = new('v', 1000);
        using CancellationTokenSource limit = new(Cluster.Patience);
        IReadOnlyList<ReplicaSnapshot> all = [];
        for (int i = 0; all.Count < 2 || (await cluster.ClientOf("a").GetBoundsAsync(limit.Token)).First < all[1].Position; i++)
        {
            await Cluster.PutAsync(leader, $"k{i % 50}", value);
            all = await snapshots.ListAsync(limit.Token);
            limit.Token.ThrowIfCancellationRequested();
        }

        (all[0].Position - all[1].Position).Should().BeGreaterThan(20, "a snapshot is not written for a few entries");
        await cluster.StartAsync("c", mayLead: false);
        await cluster.AreEqualAsync();
    }

    [Theory]
    [InlineData(100, 0, 100L, true)]
    [InlineData(99, 0, 100L, false)]
    [InlineData((1 << 30) - 1, 10, null, false)]
    [InlineData(1 << 30, 10, null, true)]
    [InlineData(2L << 30, 5L << 30, null, false)]
    [InlineData(3L << 30, 5L << 30, null, true)]
    public void A_snapshot_is_due_when_it_spares_enough_of_the_log(long log, long database, long? every, bool isDue) =>
        SnapshotRule.IsDue(log, database, every).Should().Be(isDue);

    [Fact]
    public async Task Without_a_snapshot_a_trimmed_log_stops_a_node_by_name()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        for (int i = 0; i < 5; i++)
        {
            await Cluster.PutAsync(leader, "k", "v");
        }

        await cluster.ClientOf("a").TrimAsync(4, CancellationToken.None);
        Replica behind = await cluster.StartAsync("b", mayLead: false);
        await Cluster.UntilAsync(() => behind.Role == ReplicaRole.Stopped);
        behind.Status.Failure!.Fault.Should().Be(ReplicaFault.BehindLog);
        Func<Task> wait = async () => await behind.WaitForAsync(99);
        await wait.Should().ThrowAsync<ReplicaStoppedException>();
        leader.Role.Should().Be(ReplicaRole.Leader);
    }

    [Fact]
    public async Task A_log_that_lost_its_end_stops_the_nodes_that_have_more()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        for (int i = 0; i < 5; i++)
        {
            await Cluster.PutAsync(leader, "k", i.ToString());
        }

        await cluster.StopAsync("a");
        cluster.Log.LoseEnd(3);
        Replica ahead = await cluster.StartAsync("a");
        await Cluster.UntilAsync(() => ahead.Role == ReplicaRole.Stopped);
        ahead.Status.Failure!.Fault.Should().Be(ReplicaFault.AheadOfLog);
        Cluster.Get(ahead, "k").Should().Be("4", "reads go on");
    }

    [Fact]
    public async Task An_entry_that_was_changed_where_a_node_has_read_it_is_noticed()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await Cluster.PutAsync(leader, "k", "v");
        await cluster.StopAsync("a");
        byte[] other = cluster.Log.At(1);
        for (long position = 2; position <= cluster.Log.Last; position++)
        {
            cluster.Log.Overwrite(position, other);
        }

        Replica again = await cluster.StartAsync("a");
        await Cluster.UntilAsync(() => again.Role == ReplicaRole.Stopped);
        again.Status.Failure!.Fault.Should().Be(ReplicaFault.AheadOfLog);
    }

    [Theory]
    [InlineData("junk", ReplicaFault.LogDamaged)]
    [InlineData("flipped", ReplicaFault.LogDamaged)]
    [InlineData("format", ReplicaFault.LogUnknown)]
    public async Task A_vandal_in_the_log_stops_nodes_by_name(string kind, ReplicaFault expected)
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await Cluster.PutAsync(leader, "k", "v");
        byte[] entry = [.. cluster.Log.At(1)];
        switch (kind)
        {
            case "junk":
                entry = "junk"u8.ToArray();
                break;
            case "flipped":
                entry[40] ^= 1;
                break;
            default:
                entry[6] = 9;
                break;
        }

        cluster.Log.Add(entry);
        await Cluster.UntilAsync(() => leader.Role == ReplicaRole.Stopped);
        leader.Status.Failure!.Fault.Should().Be(expected);
        Func<Task> write = () => Cluster.PutAsync(leader, "k", "v");
        await write.Should().ThrowAsync<ReplicaStoppedException>();
    }

    [Fact]
    public async Task A_database_that_has_transactions_of_its_own_is_refused()
    {
        await using Cluster cluster = new();
        using (StorageEnvironment own = StorageEnvironment.Open(cluster.FolderOf("a")))
        {
            using WriteTransaction transaction = own.BeginWrite();
            transaction.OpenTree("t");
            transaction.Commit();
        }

        Func<Task> start = () => cluster.StartAsync("a");
        await start.Should().ThrowAsync<InvalidOperationException>();
    }

    [Fact]
    public async Task The_database_of_a_node_cannot_be_written_beside_the_log()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        await Cluster.PutAsync(await cluster.LeaderAsync(), "k", "v");
        await cluster.StopAsync("a");
        using (StorageEnvironment alone = StorageEnvironment.Open(cluster.FolderOf("a")))
        {
            Action write = () => alone.BeginWrite();
            write.Should().Throw<StorageReadOnlyException>();
        }
    }
}
