using System.Text;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>Nodes as services on a real log: the whole way from a write to another node.</summary>
public abstract class CarrierReplicaTests(LogServer server)
{
    [Fact]
    public async Task What_one_node_writes_the_other_shows_also_after_the_log_was_killed()
    {
        await server.NeedAsync();
        using TemporaryFolder folder = new();
        string name = server.NewName();
        using IHost one = Host(folder, "one", name, mayLead: true);
        using IHost two = Host(folder, "two", name, mayLead: false);
        await one.StartAsync();
        await two.StartAsync();
        Replica leader = one.Services.GetRequiredService<Replica>();
        Replica follower = two.Services.GetRequiredKeyedService<Replica>("two");
        await UntilAsync(() => leader.Role == ReplicaRole.Leader);
        await follower.WaitForAsync(await PutAsync(leader, "before"), Logs.Soon());
        Get(follower).Should().Be("before");
        server.Process.Kill();
        await server.Process.StartAsync();
        await UntilAsync(() => leader.Role == ReplicaRole.Leader);
        await follower.WaitForAsync(await PutAsync(leader, "after"), Logs.Soon());
        Get(follower).Should().Be("after");
        await two.StopAsync();
        await one.StopAsync();
        foreach (string node in (string[])["one", "two"])
        {
            using StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(folder.Path, node));
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public async Task A_host_waits_for_a_log_that_is_not_there_yet()
    {
        await server.NeedAsync();
        using TemporaryFolder folder = new();

        // It has to answer once: an etcd that is killed while it makes its first files does not elect itself afterwards.
        await (await server.OpenAsync(server.NewName())).DisposeAsync();
        server.Process.Kill();
        using IHost host = Host(folder, "one", server.NewName(), mayLead: true);
        Task start = host.StartAsync();
        await Task.Delay(200);
        start.IsCompleted.Should().BeFalse();
        await server.Process.StartAsync();
        await start.WaitAsync(Logs.Patience);
        await host.StopAsync();
    }

    private IHost Host(TemporaryFolder folder, string node, string name, bool mayLead)
    {
        HostApplicationBuilder builder = Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(null);
        VoronReplicaBuilder replica = builder.Services.AddVoronReplica(
            node,
            Path.Combine(folder.Path, node),
            options =>
            {
                options.NodeName = node;
                options.MayLead = mayLead;
                options.LeaderTimeout = TimeSpan.FromSeconds(1);
            });
        server.UseIn(replica, name);
        return builder.Build();
    }

    private static async Task UntilAsync(Func<bool> holds)
    {
        CancellationToken end = Logs.Soon();
        while (!holds())
        {
            await Task.Delay(20, end);
        }
    }

    private static async Task<long> PutAsync(Replica node, string value)
    {
        CancellationToken end = Logs.Soon();
        while (true)
        {
            try
            {
                return await node.Environment.WriteAsync(
                    static (transaction, value) =>
                    {
                        transaction.OpenTree("t").Put("k"u8, Encoding.UTF8.GetBytes(value));
                        return transaction.TransactionId;
                    },
                    value,
                    end);
            }
            catch (NotLeaderException)
            {
                await Task.Delay(50, end);
            }
        }
    }

    private static string? Get(Replica node)
    {
        using ReadTransaction transaction = node.Environment.BeginRead();
        return transaction.TryOpenTree("t", out ReadTree tree) && tree.TryGet("k"u8, out ReadOnlySpan<byte> value)
            ? Encoding.UTF8.GetString(value)
            : null;
    }
}
