using System.Text;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Nats;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>Nodes whose snapshots are in the object store of the servers that have their log.</summary>
public sealed class JetStreamSnapshotsReplicaTests(NatsServer server) : IClassFixture<NatsServer>
{
    [Fact]
    public async Task A_node_that_the_log_was_trimmed_beyond_begins_from_a_snapshot_in_the_bucket()
    {
        await server.NeedAsync();
        using TemporaryFolder folder = new();
        string name = server.NewName();
        using (IHost one = Host(folder, "one", name, mayLead: true))
        using (IHost two = Host(folder, "two", name, mayLead: false))
        using (IHost three = Host(folder, "three", name, mayLead: false))
        {
            await one.StartAsync();
            await two.StartAsync();
            Replica leader = one.Services.GetRequiredService<Replica>();
            await two.Services.GetRequiredService<Replica>().WaitForAsync(await PutAsync(leader, 0), Logs.Soon());
            await two.StopAsync();
            for (int i = 1; i < 4; i++)
            {
                await PutAsync(leader, i);
                await leader.ReadBarrierAsync(Logs.Soon());
                await leader.SnapshotAsync(Logs.Soon());
            }

            await using JetStreamSnapshots bucket = await JetStreamSnapshots.OpenAsync(server.SnapshotsOptions(name), Logs.Soon());
            (await bucket.ListAsync(Logs.Soon())).Should().HaveCount(2);
            using IHost again = Host(folder, "two", name, mayLead: false);
            await again.StartAsync();
            await three.StartAsync();
            long last = await PutAsync(leader, 4);
            foreach (IHost host in (IHost[])[again, three])
            {
                Replica node = host.Services.GetRequiredService<Replica>();
                await node.WaitForAsync(last, Logs.Soon());
                node.Status.Failure.Should().BeNull();
                using ReadTransaction read = node.Environment.BeginRead();
                ReadTree tree = read.OpenTree("t");
                Enumerable.Range(0, 5).Should().OnlyContain(i => tree.Contains(BitConverter.GetBytes(i)));
            }

            await again.StopAsync();
            await three.StopAsync();
            await one.StopAsync();
        }

        foreach (string node in (string[])["one", "two", "three"])
        {
            using StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(folder.Path, node));
            environment.Check().Findings.Should().BeEmpty();
        }
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
        replica.UseJetStreamSnapshots(options => (options.Url, options.Bucket, options.Replicas) = (server.Url, name, 1));
        return builder.Build();
    }

    private static async Task<long> PutAsync(Replica node, int key)
    {
        CancellationToken end = Logs.Soon();
        while (true)
        {
            try
            {
                return await node.Environment.WriteAsync(
                    static (transaction, key) =>
                    {
                        transaction.OpenTree("t").Put(BitConverter.GetBytes(key), Encoding.UTF8.GetBytes("value"));
                        return transaction.TransactionId;
                    },
                    key,
                    end);
            }
            catch (NotLeaderException)
            {
                await Task.Delay(50, end);
            }
        }
    }
}
