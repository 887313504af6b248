using FluentAssertions;
using Voron.Bench.Servers;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests;

/// <summary>
/// The server under load, killed with <c>kill -9</c> in the middle of it, again and again on the same database: whatever was acknowledged
/// is there, byte for byte, and nothing else but what was on its way.
/// </summary>
public sealed class KillTests
{
    private const int Connections = 32;

    /// <summary>After how many acknowledged writes the server is killed: the moment itself is the machine's.</summary>
    private static readonly int[] Wanted = [200, 500, 900];

    [Fact]
    public async Task Nothing_acknowledged_is_lost()
    {
        using TemporaryFolder folder = new();
        string database = Path.Combine(folder.Path, "db");
        List<HttpLoad> loads = [];
        foreach (int wanted in Wanted)
        {
            using ServerProcess server = ServerProcess.Start(Sample.Server, database);
            HttpLoad load = new(server.Address, $"load{loads.Count}", Connections);
            loads.Add(load);
            Task<bool> running = load.RunAsync(int.MaxValue / 2);
            while (load.Acknowledged < wanted && !running.IsCompleted)
            {
                await Task.Delay(1);
            }

            server.Kill();
            (await running).Should().BeFalse("the server was killed while it was asked");
            load.Acknowledged.Should().BeGreaterThanOrEqualTo(wanted);
        }

        using ServerProcess last = ServerProcess.Start(Sample.Server, database);
        using HttpClient client = new() { BaseAddress = last.Address };
        for (int kill = 0; kill < Wanted.Length; kill++)
        {
            await VerifyAsync(client, kill, loads[kill]);
        }

        (await client.GetStringAsync("health")).Should().NotStartWith("Unhealthy");
        last.Stop().Should().Be(0, last.Said);
        using (ServerProcess again = ServerProcess.Start(Sample.Server, database))
        {
            again.Said.Should().Contain(" 0 transactions replayed", "the one before was closed in order");
        }

        using Voron.Storage.StorageEnvironment storage = Voron.Storage.StorageEnvironment.Open(database);
        storage.Check().IsClean.Should().BeTrue();
    }

    private static async Task VerifyAsync(HttpClient client, int kill, HttpLoad load)
    {
        long unknown = 0;
        await Parallel.ForAsync(0, load.Connections, async (connection, stop) =>
        {
            int acknowledged = load.AcknowledgedOf(connection);
            for (int number = 0; number < acknowledged; number++)
            {
                string id = HttpLoad.IdOf(connection, number);
                (await client.GetStringAsync($"docs/load{kill}/{id}", stop)).Should().Be(HttpLoad.BodyOf(connection, number), "of {0}", id);
            }

            // One request of each connection was on its way: it may be there or not.
            using HttpResponseMessage next = await client.GetAsync($"docs/load{kill}/{HttpLoad.IdOf(connection, acknowledged)}", stop);
            Interlocked.Add(ref unknown, next.IsSuccessStatusCode ? 1 : 0);
        });

        string counts = await client.GetStringAsync("docs");
        counts.Should().Contain($"\"load{kill}\":{load.Acknowledged + unknown}");
    }
}
