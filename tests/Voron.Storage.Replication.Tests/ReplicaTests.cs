using System.Text;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Real nodes, with real databases and threads, on a log in memory.</summary>
public sealed class ReplicaTests
{
    [Fact]
    public async Task A_commit_of_the_leader_is_on_all_nodes_under_one_number()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        await cluster.StartAsync("b");
        await cluster.StartAsync("c");
        Replica leader = await cluster.LeaderAsync();
        long id = await Cluster.PutAsync(leader, "k", "v");
        foreach (Replica node in cluster.Nodes)
        {
            await node.WaitForAsync(id).AsTask().WaitAsync(Cluster.Patience);
            Cluster.Get(node, "k").Should().Be("v");
        }

        await cluster.AreEqualAsync();
    }

    [Fact]
    public async Task A_follower_names_the_leader_to_those_that_write()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        Replica follower = await cluster.StartAsync("b", mayLead: false);
        await Cluster.UntilAsync(() => follower.Status.Leader == "a");
        Func<Task>[] writes =
        [
            () => Cluster.PutAsync(follower, "k", "v"),
            () => Task.Run(() => follower.Environment.BeginWrite().Dispose()),
            async () => (await follower.Environment.BeginWriteAsync()).Dispose(),
        ];
        foreach (Func<Task> write in writes)
        {
            NotLeaderException refused = (await write.Should().ThrowAsync<NotLeaderException>()).Which;
            refused.Leader.Should().Be("a");
            refused.LeaderAddress.Should().Be("http://a");
        }

        leader.Role.Should().Be(ReplicaRole.Leader);
        follower.Role.Should().Be(ReplicaRole.Follower);
    }

    [Fact]
    public async Task All_that_a_transaction_can_do_is_done_on_followers()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        await cluster.StartAsync("b");
        byte[] large = new byte[3 << 20];
        new Random(5).NextBytes(large);
        using (WriteTransaction transaction = leader.Environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("kept");
            MultiTree pairs = transaction.OpenMultiTree(Cluster.Pairs);
            Tree dropped = transaction.OpenTree("dropped");
            for (int i = 0; i < 20_000; i++)
            {
                tree.Put(BitConverter.GetBytes(i), Encoding.UTF8.GetBytes($"value {i}, of which there are many"));
                pairs.Add(BitConverter.GetBytes(i % 7), BitConverter.GetBytes(i));
                dropped.Put(BitConverter.GetBytes(i), [1]);
            }

            tree.Put("large"u8, large);
            Savepoint undone = transaction.CreateSavepoint();
            tree.DeleteRange(BitConverter.GetBytes(1), BitConverter.GetBytes(100_000));
            tree.Put("undone"u8, new byte[400_000]);
            transaction.RollbackTo(undone);
            tree.Delete(BitConverter.GetBytes(77));
            transaction.DropTree("dropped");
            transaction.RenameTree("kept", "renamed");
            transaction.Commit();
        }

        using (WriteTransaction rolledBack = leader.Environment.BeginWrite())
        {
            Tree tree = rolledBack.OpenTree("renamed");
            for (int i = 0; i < 20_000; i++)
            {
                tree.Put(BitConverter.GetBytes(i), new byte[50]);
            }
        }

        await Cluster.PutAsync(leader, "after", "it");
        await cluster.StartAsync("c");
        await cluster.AreEqualAsync();
        foreach (Replica node in cluster.Nodes)
        {
            using ReadTransaction read = node.Environment.BeginRead();
            read.OpenTree("renamed").TryGet("large"u8, out ReadOnlySpan<byte> found).Should().BeTrue();
            found.SequenceEqual(large).Should().BeTrue();
            read.OpenMultiTree(Cluster.Pairs).Count.Should().Be(20_000);
        }
    }

    [Fact]
    public async Task Lazy_commits_and_empty_ones_of_a_leader_are_not_ahead_of_the_log()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        for (int i = 0; i < 50; i++)
        {
            using WriteTransaction transaction = leader.Environment.BeginWrite();
            transaction.OpenTree("t").Put(BitConverter.GetBytes(i), [1]);
            long before = cluster.Log.Last;
            transaction.Commit(i % 2 == 0 ? CommitMode.Lazy : CommitMode.Durable);
            cluster.Log.Last.Should().BeGreaterThan(before, "the log has it when the commit returns");
        }

        await cluster.StartAsync("b");
        await cluster.AreEqualAsync();
    }

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
    public async Task A_read_behind_a_barrier_sees_what_was_acknowledged_anywhere()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        Replica follower = await cluster.StartAsync("b", mayLead: false);
        for (int i = 0; i < 30; i++)
        {
            await Cluster.PutAsync(leader, "k", i.ToString());
            await follower.ReadBarrierAsync().AsTask().WaitAsync(Cluster.Patience);
            Cluster.Get(follower, "k").Should().Be(i.ToString());
            await leader.ReadBarrierAsync().AsTask().WaitAsync(Cluster.Patience);
        }
    }

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

    [Fact]
    public async Task Values_that_no_entry_carries_are_refused()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        using WriteTransaction transaction = leader.Environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        Action stream = () => tree.OpenValueWriter("k"u8);
        stream.Should().Throw<NotSupportedException>();
        Action put = () => tree.Put("k"u8, new byte[ReplicaOptions.MaxValueBytes + 1]);
        put.Should().Throw<ValueTooLongException>();
        leader.Environment.Limits.MaxValueBytes.Should().Be(ReplicaOptions.MaxValueBytes);
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

    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    [InlineData(3, true)]
    public async Task Nothing_acknowledged_is_lost_on_a_bad_log_beside_changes_of_the_leader(int seed, bool ignoresConditions)
    {
        SimulatedLog log = new(seed) { Faults = 0.4, IgnoresConditions = ignoresConditions };
        await using Cluster cluster = new(log);
        string[] names = ["a", "b", "c"];
        foreach (string name in names)
        {
            await cluster.StartAsync(name);
        }

        Dictionary<string, string> acknowledged = [];
        Random random = new(seed);
        for (int i = 0; i < 60; i++)
        {
            if (i % 15 == 14)
            {
                await (await cluster.LeaderAsync()).StepDownAsync();
            }
            else if (i % 15 == 7)
            {
                string name = names[random.Next(names.Length)];
                await cluster.StopAsync(name);
                await cluster.StartAsync(name);
            }

            try
            {
                await Cluster.PutAsync(await cluster.LeaderAsync(), $"k{i}", $"v{i}");
                acknowledged.Add($"k{i}", $"v{i}");
            }
            catch (Exception error) when (error is NotLeaderException or CommitOutcomeUnknownException or StoragePoisonedException)
            {
                // The caller would try again.
            }
        }

        log.Faults = 0;
        acknowledged.Should().HaveCountGreaterThan(10);
        await cluster.AreEqualAsync();
        foreach ((string key, string value) in acknowledged)
        {
            Cluster.Get(cluster["b"], key).Should().Be(value, "seed {0}", seed);
        }
    }
}
