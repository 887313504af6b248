using System.Text;
using System.Buffers;
using System.IO.Pipelines;
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

    /// <summary>They take many batches, and entries, of which none is long.</summary>
    [Fact]
    public async Task Values_of_any_length_reach_all_nodes()
    {
        byte[] large = new byte[20 << 20];
        new Random(1).NextBytes(large);
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        Replica follower = await cluster.StartAsync("b", mayLead: false);
        await leader.Environment.WriteAsync(
            static (transaction, value) =>
            {
                Tree tree = transaction.OpenTree("t");
                tree.Put("put"u8, value);
                PipeWriter writer = tree.OpenValueWriter("written"u8);
                writer.Write(value);
                writer.Write(value);
                writer.Complete();
            },
            large);
        Replica late = await cluster.StartAsync("c", mayLead: false);
        foreach (Replica node in new[] { follower, late })
        {
            await node.WaitForAsync(1).AsTask().WaitAsync(Cluster.Patience);
            using ReadTransaction read = node.Environment.BeginRead();
            ReadTree tree = read.OpenTree("t");
            tree.TryGet("put"u8, out ReadOnlySpan<byte> value).Should().BeTrue();
            value.SequenceEqual(large).Should().BeTrue();
            tree.TryOpenValueReader("written"u8, out PipeReader? reader).Should().BeTrue();
            using MemoryStream all = new();
            await reader!.CopyToAsync(all);
            all.ToArray().Should().HaveCount(2 * large.Length);
            all.ToArray().AsSpan(large.Length).SequenceEqual(large).Should().BeTrue();
            node.Environment.Check().Findings.Should().BeEmpty();
        }
    }
}
