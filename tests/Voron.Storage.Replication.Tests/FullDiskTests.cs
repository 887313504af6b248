using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>Nodes whose disk has no room left: they say so, and go on when there is room again.</summary>
public sealed class FullDiskTests
{
    private const int Most = 2_000;
    private static readonly string Value = new('v', 50_000);

    [Fact]
    public async Task A_follower_without_room_is_behind_and_goes_on_later()
    {
        RoomDisk disk = new();
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        cluster.Configure = options => options.Storage = Small(disk);
        Replica follower = await cluster.StartAsync("b", mayLead: false);
        await Cluster.PutAsync(leader, "k", "v");
        await cluster.AreEqualAsync();
        disk.IsFull = true;
        int puts = 0;
        for (; puts < Most && follower.Status.LogTrouble is not StorageFullException; puts++)
        {
            // The leader is not held up by it.
            await Cluster.PutAsync(leader, $"k{puts}", Value);
        }

        follower.Status.LogTrouble.Should().BeOfType<StorageFullException>("{0} calls were refused", disk.Refused);
        follower.Status.Failure.Should().BeNull("it waits for room");
        await Cluster.PutAsync(leader, "last", "v");
        long read = follower.Status.Position;
        read.Should().BeLessThan(leader.Status.Position);
        Cluster.Get(follower, "k").Should().Be("v", "reads go on");
        disk.IsFull = false;
        await cluster.AreEqualAsync();
        await Cluster.UntilAsync(() => follower.Status.LogTrouble is null);
    }

    [Fact]
    public async Task A_leader_without_room_refuses_writes_and_goes_on_later()
    {
        RoomDisk disk = new();
        await using Cluster cluster = new() { Configure = options => options.Storage = Small(disk) };
        await cluster.StartAsync("a");
        Replica leader = await cluster.LeaderAsync();
        cluster.Configure = static _ => { };
        Replica follower = await cluster.StartAsync("b", mayLead: false);
        disk.IsFull = true;
        Exception? refusal = null;
        int puts = 0;
        for (; puts < Most && refusal is null; puts++)
        {
            try
            {
                await Cluster.PutAsync(leader, $"k{puts}", Value);
            }
            catch (StorageException error)
            {
                refusal = error;
            }
        }

        refusal.Should().BeOfType<StorageFullException>("nothing of that commit was in the log");
        Cluster.Get(leader, "k0").Should().Be(Value, "reads go on");
        disk.IsFull = false;
        for (bool isWritten = false; !isWritten;)
        {
            try
            {
                await Cluster.PutAsync(await cluster.LeaderAsync(), "last", "v");
                isWritten = true;
            }
            catch (Exception error) when (error is StorageException or NotLeaderException)
            {
                await Task.Delay(10);
            }
        }

        await cluster.AreEqualAsync();
        Cluster.Get(follower, "last").Should().Be("v");
        Cluster.Get(follower, $"k{puts - 2}").Should().Be(Value, "it was acknowledged");
    }

    private static StorageOptions Small(IDisk disk) => new()
    {
        JournalSoftLimitBytes = 1 << 20,
        JournalHardLimitBytes = 4 << 20,
        Engine = new() { Disk = disk },
    };
}
