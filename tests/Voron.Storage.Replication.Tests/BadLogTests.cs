using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Nodes on a log that loses, doubles and delays entries, and does not check conditions.</summary>
public sealed class BadLogTests
{
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
