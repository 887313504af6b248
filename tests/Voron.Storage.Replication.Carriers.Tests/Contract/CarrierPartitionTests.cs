using System.Text;
using FluentAssertions;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>Nodes between which and the log the network is interrupted, without a word to either side.</summary>
public abstract class CarrierPartitionTests(LogServer server) : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    [Fact]
    public async Task A_leader_that_does_not_reach_the_log_acknowledges_nothing_and_another_leads()
    {
        await server.NeedAsync();
        using Relay relay = new(server.Port);
        string name = server.NewName();
        await using Replica first = await OpenAsync("first", await server.OpenAsync(name, relay.Port));
        await UntilAsync(() => first.Role == ReplicaRole.Leader);
        await using Replica second = await OpenAsync("second", await server.OpenAsync(name));
        await second.WaitForAsync(await PutAsync(first, "before"), Logs.Soon());
        relay.Interrupt();
        Func<Task> write = () => PutAsync(first, "lost");
        await write.Should().ThrowAsync<CommitOutcomeUnknownException>();
        await UntilAsync(() => second.Role == ReplicaRole.Leader);
        Get(second).Should().Be("before", "what was interrupted is not in the log yet");
        long last = await PutAsync(second, "after");
        Get(first).Should().Be("before");
        relay.Restore();

        // Its entries come late, and are void.
        await first.WaitForAsync(last, Logs.Soon());
        Get(first).Should().Be("after");
        first.Role.Should().Be(ReplicaRole.Follower);
        await first.WaitForAsync(await PutAsync(second, "last"), Logs.Soon());
        Get(first).Should().Be("last");
    }

    [Fact]
    public async Task A_follower_that_does_not_reach_the_log_says_so_and_goes_on_later()
    {
        await server.NeedAsync();
        using Relay relay = new(server.Port);
        string name = server.NewName();
        await using Replica leader = await OpenAsync("leader", await server.OpenAsync(name));
        await UntilAsync(() => leader.Role == ReplicaRole.Leader);
        await using Replica follower = await OpenAsync("follower", await server.OpenAsync(name, relay.Port));
        await follower.WaitForAsync(await PutAsync(leader, "before"), Logs.Soon());
        relay.Interrupt();
        long last = await PutAsync(leader, "after");
        await UntilAsync(() => follower.Status.LogTrouble is not null);
        Get(follower).Should().Be("before", "reads go on");
        leader.Role.Should().Be(ReplicaRole.Leader, "a node that hears nothing does not ask to lead");
        relay.Restore();
        await follower.WaitForAsync(last, Logs.Soon());
        Get(follower).Should().Be("after");
        await UntilAsync(() => follower.Status.LogTrouble is null);
        leader.Status.Epoch.Should().Be(1);
    }

    public void Dispose()
    {
        foreach (string node in Directory.GetDirectories(_folder.Path))
        {
            using StorageEnvironment environment = StorageEnvironment.Open(node);
            environment.Check().Findings.Should().BeEmpty();
        }

        _folder.Dispose();
        GC.SuppressFinalize(this);
    }

    private static async Task UntilAsync(Func<bool> holds)
    {
        CancellationToken end = Logs.Soon();
        while (!holds())
        {
            await Task.Delay(10, end);
        }
    }

    private static async Task<long> PutAsync(Replica node, string value) => await node.Environment.WriteAsync(
        static (transaction, value) =>
        {
            transaction.OpenTree("t").Put("k"u8, Encoding.UTF8.GetBytes(value));
            return transaction.TransactionId;
        },
        value);

    private static string? Get(Replica node)
    {
        using ReadTransaction transaction = node.Environment.BeginRead();
        return transaction.TryOpenTree("t", out ReadTree tree) && tree.TryGet("k"u8, out ReadOnlySpan<byte> value)
            ? Encoding.UTF8.GetString(value) : null;
    }

    private async Task<Replica> OpenAsync(string name, IReplicatedLog log) => await Replica.OpenAsync(
        Path.Combine(_folder.Path, name),
        log,
        new ReplicaOptions
        {
            NodeName = name, LeaderTimeout = TimeSpan.FromSeconds(1), HeartbeatInterval = TimeSpan.FromMilliseconds(200),
            CommitTimeout = TimeSpan.FromSeconds(4),
        });
}
