using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Samples.Tests.Clusters;

/// <summary>
/// Clients that count up documents while processes of the cluster are killed, stopped and started: what was acknowledged is read by the
/// next read that asks for the newest state, on any node. <c>VORON_CLUSTER_FAULTS</c> says how many faults there are, and
/// <c>VORON_CLUSTER_SEED</c> which.
/// </summary>
public sealed class ClusterFaultTests(ITestOutputHelper output)
{
    private const int Clients = 4;

    /// <summary>Longer than nodes wait before they ask to lead.</summary>
    private static readonly TimeSpan Stopped = TimeSpan.FromSeconds(8);

    /// <summary>Writes that are acknowledged before each fault.</summary>
    private const int WritesBetween = 100;

    private enum Fault
    {
        StopLeader,
        KillLog,
        KillLeader,
        KillFollower,
        StopFollower,
        KillLogServer,
        StopLogServer,
    }

    [Theory]
    [InlineData("nats", nameof(Fault.StopLeader))]
    [InlineData("etcd", nameof(Fault.KillLog))]
    public async Task What_was_acknowledged_is_read_whatever_befalls_the_processes(string log, string first)
    {
        int faults = Number("VORON_CLUSTER_FAULTS", 1);
        int seed = Number("VORON_CLUSTER_SEED", Random.Shared.Next(1_000_000));
        output.WriteLine($"{log}, seed {seed}: VORON_CLUSTER_SEED={seed} VORON_CLUSTER_FAULTS={faults}");
        using RunningCluster cluster = await RunningCluster.StartAsync(log);
        await cluster.LeaderAsync(cluster.Nodes);
        using CancellationTokenSource end = new();
        CountingClient[] clients = [.. Enumerable.Range(0, Clients).Select(i => new CountingClient(cluster, i, seed))];
        Task running = Task.WhenAll(clients.Select(client => Task.Run(() => client.RunAsync(end.Token))));
        Random random = new(seed);
        for (int i = 0; i < faults; i++)
        {
            Fault fault = i == 0 ? Enum.Parse<Fault>(first) : (Fault)random.Next(Enum.GetValues<Fault>().Length);
            await GoOnAsync();
            output.WriteLine($"{i}: {fault} after {clients.Sum(static client => client.Acknowledged)}");
            await InjectAsync(cluster, fault, random);
        }

        await GoOnAsync();

        await end.CancelAsync();
        await running;
        await cluster.LeaderAsync(cluster.Nodes);
        foreach (CountingClient client in clients)
        {
            await client.CompareAsync();
        }

        output.WriteLine(
            $"{clients.Sum(static one => one.Acknowledged)} acknowledged, {clients.Sum(static one => one.Unknown)} of unknown outcome");
        await cluster.EndAsync();

        Task GoOnAsync()
        {
            long wanted = clients.Sum(static client => client.Acknowledged) + WritesBetween;
            return cluster.UntilAsync(() =>
            {
                running.IsFaulted.Should().BeFalse("{0}", running.Exception?.InnerException?.Message);
                return Task.FromResult(clients.Sum(static client => client.Acknowledged) >= wanted);
            });
        }
    }

    private static async Task InjectAsync(RunningCluster cluster, Fault fault, Random random)
    {
        bool isOfLog = fault is Fault.KillLog or Fault.KillLogServer or Fault.StopLogServer;
        OneProcess[] hit = fault switch
        {
            Fault.KillLog => cluster.Log,
            Fault.KillLogServer or Fault.StopLogServer => [cluster.Log[random.Next(cluster.Log.Length)]],
            _ => [await cluster.LeaderAsync(cluster.Nodes)],
        };
        if (fault is Fault.KillFollower or Fault.StopFollower)
        {
            OneProcess[] others = [.. cluster.Nodes.Where(node => node != hit[0])];
            hit = [others[random.Next(others.Length)]];
        }

        if (fault is Fault.StopLeader or Fault.StopFollower or Fault.StopLogServer)
        {
            cluster.Signal(hit[0], "STOP");
            await Task.Delay(Stopped);
            cluster.Signal(hit[0], "CONT");
            return;
        }

        foreach (OneProcess one in hit)
        {
            cluster.Kill(one);
        }

        await Task.Delay(TimeSpan.FromSeconds(isOfLog ? 1 : 4));
        foreach (OneProcess one in hit)
        {
            cluster.Start(one);
        }
    }

    private static int Number(string variable, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out int given) ? given : otherwise;
}
