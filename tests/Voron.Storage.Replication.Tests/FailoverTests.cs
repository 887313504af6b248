using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Nodes that lead, are deposed, step down and come back.</summary>
public sealed class FailoverTests
{
    [Fact]
    public async Task Another_node_leads_when_the_leader_is_gone_and_the_old_one_comes_back()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica first = await cluster.LeaderAsync();
        await Cluster.PutAsync(first, "k1", "v1");
        await cluster.StartAsync("b");
        await cluster.StopAsync("a");
        Replica second = await cluster.LeaderAsync();
        second.Status.Leader.Should().Be("b");
        Cluster.Get(second, "k1").Should().Be("v1");
        await Cluster.PutAsync(second, "k2", "v2");
        await cluster.StartAsync("a");
        await cluster.AreEqualAsync();
    }

    /// <summary>Neither reads the entry in which the leader has named itself.</summary>
    [Fact]
    public async Task A_follower_that_is_opened_again_or_begins_from_a_snapshot_knows_the_leader()
    {
        await using Cluster cluster = new();
        FolderSnapshots snapshots = new(cluster.FolderOf("snapshots"));
        cluster.Configure = options => options.Snapshots = snapshots;
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await cluster.StartAsync("b", mayLead: false);
        for (int i = 0; i < 3; i++)
        {
            await Cluster.PutAsync(leader, $"k{i}", "v");
            await leader.ReadBarrierAsync();
            await leader.SnapshotAsync();
        }

        await cluster.AreEqualAsync();
        await cluster.StopAsync("b");
        Replica again = await cluster.StartAsync("b", mayLead: false);
        Replica other = await cluster.StartAsync("c", mayLead: false);
        await cluster.AreEqualAsync();
        foreach (Replica node in new[] { again, other })
        {
            node.Status.Leader.Should().Be("a");
            Func<Task> write = () => Cluster.PutAsync(node, "k", "v");
            (await write.Should().ThrowAsync<NotLeaderException>()).Which.LeaderAddress.Should().Be("http://a");
        }

        leader.Status.Epoch.Should().Be(1);
    }

    [Fact]
    public async Task A_leader_that_is_cut_off_acknowledges_nothing_and_follows_afterwards()
    {
        await using Cluster cluster = new() { Configure = static options => options.CommitTimeout = TimeSpan.FromSeconds(2) };
        await cluster.StartAsync("a");
        Replica first = await cluster.LeaderAsync();
        await Cluster.PutAsync(first, "k", "before");
        await cluster.StartAsync("b");
        cluster.ClientOf("a").CutOff();
        Func<Task> write = () => Cluster.PutAsync(first, "k", "lost");
        await write.Should().ThrowAsync<CommitOutcomeUnknownException>();
        await Cluster.UntilAsync(() => cluster["b"].Role == ReplicaRole.Leader);
        await Cluster.PutAsync(cluster["b"], "k", "after");
        cluster.ClientOf("a").Heal();
        await Cluster.UntilAsync(() => first.Role == ReplicaRole.Follower);
        await cluster.AreEqualAsync();
        Cluster.Get(first, "k").Should().Be("after");
    }

    [Fact]
    public async Task An_open_transaction_of_a_deposed_leader_cannot_commit()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica first = await cluster.LeaderAsync();
        await Cluster.PutAsync(first, "k", "before");
        await cluster.StartAsync("b");
        WriteTransaction open = first.Environment.BeginWrite();
        open.OpenTree("t").Put("k"u8, "lost"u8);
        cluster.ClientOf("a").CutOff();
        await Cluster.UntilAsync(() => cluster["b"].Role == ReplicaRole.Leader);
        await Cluster.PutAsync(cluster["b"], "k", "after");
        cluster.ClientOf("a").Heal();
        await Cluster.UntilAsync(() => first.Role != ReplicaRole.Leader || first.Status.Epoch > 1);
        Action commit = () => open.Commit();
        commit.Should().Throw<Exception>();
        open.Dispose();
        await cluster.AreEqualAsync();
        Cluster.Get(first, "k").Should().Be("after");
    }

    [Fact]
    public async Task A_leader_steps_down_between_two_transactions()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica first = await cluster.LeaderAsync();
        await cluster.StartAsync("b");
        await Cluster.PutAsync(first, "k", "1");
        using ReadTransaction reader = first.Environment.BeginRead();
        await first.StepDownAsync();
        first.Role.Should().Be(ReplicaRole.Follower);
        await Cluster.UntilAsync(() => cluster["b"].Role == ReplicaRole.Leader);
        await Cluster.PutAsync(cluster["b"], "k", "2");
        await cluster.AreEqualAsync();
        reader.OpenTree("t").TryGet("k"u8, out ReadOnlySpan<byte> value).Should().BeTrue();
        value.ToArray().Should().Equal("1"u8.ToArray());
    }

    [Fact]
    public async Task An_outage_of_the_log_is_waited_for()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await cluster.StartAsync("b");
        await Cluster.PutAsync(leader, "k", "1");
        cluster.Log.IsDown = true;
        Task<long> write = Cluster.PutAsync(leader, "k", "2");
        await Cluster.UntilAsync(() => cluster["b"].Status.LogTrouble is LogUnavailableException);
        write.IsCompleted.Should().BeFalse();
        cluster.Log.IsDown = false;
        await write.WaitAsync(Cluster.Patience);
        leader.Role.Should().Be(ReplicaRole.Leader, "silence of a log that is down is no silence of its leader");
        await cluster.AreEqualAsync();
    }
}
