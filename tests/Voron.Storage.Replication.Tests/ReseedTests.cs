using System.Text;
using FluentAssertions;
using Voron.Storage.Replication.Core;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>A new log that begins with a database that exists: after the old log was lost, or because there was none.</summary>
public sealed class ReseedTests
{
    [Fact]
    public async Task After_the_log_was_lost_the_node_with_most_goes_on_and_the_others_begin_anew()
    {
        string[] names = ["a", "b", "c"];
        await using Cluster lost = new();
        long last = await FillAsync(lost, names);
        await using Cluster cluster = new() { Configure = options => options.Snapshots = Place(lost) };
        foreach (string name in names)
        {
            Directory.Move(lost.FolderOf(name), cluster.FolderOf(name));
        }

        await using (SimulatedLog.Client log = cluster.Log.Connect())
        {
            ReplicaSnapshot snapshot = await Replica.ReseedAsync(cluster.FolderOf("a"), log, Options(Place(lost)));
            snapshot.TransactionId.Should().Be(last);
            (await log.GetBoundsAsync(CancellationToken.None)).Should().Be(new LogBounds(snapshot.Position, snapshot.Position));
        }

        Replica.ReadPlace(cluster.FolderOf("a"))!.TransactionId.Should().Be(last);
        Replica old = await cluster.StartAsync("b");
        await Cluster.UntilAsync(() => old.Role == ReplicaRole.Stopped);
        old.Status.Failure!.Fault.Should().Be(ReplicaFault.AheadOfLog, "it follows the old log until it is discarded");
        await cluster.StopAsync("b");
        Replica.Discard(cluster.FolderOf("b"));
        Replica.Discard(cluster.FolderOf("c"));
        foreach (string name in names)
        {
            await cluster.StartAsync(name, mayLead: name == "a");
        }

        Replica leader = await cluster.LeaderAsync();
        (await Cluster.PutAsync(leader, "after", "it")).Should().Be(last + 1);
        await cluster.AreEqualAsync();
        foreach (Replica node in cluster.Nodes)
        {
            Cluster.Get(node, "k4").Should().Be("v");
            Cluster.Get(node, "after").Should().Be("it");
        }

        await cluster.StopAsync("b");
        await Cluster.PutAsync(leader, "later", "it");
        await cluster.StartAsync("b");
        await cluster.AreEqualAsync();
    }

    [Fact]
    public async Task A_database_with_transactions_of_its_own_becomes_the_first_node()
    {
        await using Cluster cluster = new();
        FolderSnapshots place = Place(cluster);
        cluster.Configure = options => options.Snapshots = place;
        long last = FillAlone(cluster.FolderOf("a"));
        await using SimulatedLog.Client log = cluster.Log.Connect();
        (await Replica.ReseedAsync(cluster.FolderOf("a"), log, Options(place))).TransactionId.Should().Be(last);
        await cluster.StartAsync("a");
        await cluster.StartAsync("b", mayLead: false);
        Replica leader = await cluster.LeaderAsync();
        (await Cluster.PutAsync(leader, "k", "v")).Should().Be(last + 1);
        await cluster.AreEqualAsync();
        Cluster.Get(cluster["b"], "own1").Should().Be("v");
    }

    [Fact]
    public async Task What_a_log_cannot_begin_with_is_refused_and_nothing_is_changed()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("other");
        await Cluster.PutAsync(await cluster.LeaderAsync(), "k", "v");
        string folder = cluster.FolderOf("own");
        FillAlone(folder);
        string[] before = Files(folder);
        long end = cluster.Log.Last;
        FolderSnapshots place = Place(cluster);
        await using SimulatedLog.Client used = cluster.Log.Connect();
        await using SimulatedLog.Client fresh = new SimulatedLog().Connect();
        await Refused<LogConflictException>(folder, used, Options(place), "*not empty*");
        await Refused<InvalidOperationException>(folder, fresh, Options(null), "*ReplicaOptions.Snapshots*");
        await Refused<InvalidOperationException>(cluster.FolderOf("none"), fresh, Options(place), "*no database*");
        await Refused<StorageLockedException>(cluster.FolderOf("other"), fresh, Options(place), "*in use*");
        await cluster["other"].ReadBarrierAsync();
        LogState ofOther = LogState.Begin with { Log = Guid.NewGuid(), Position = 9 };
        await place.WriteAsync(
            new ReplicaSnapshot(9, 0, LogStateBytes.Write(ofOther, 1)), static (_, _) => ValueTask.CompletedTask, CancellationToken.None);
        await Refused<InvalidOperationException>(folder, fresh, Options(place), "*another log*");
        Files(folder).Should().Equal(before);
        cluster.Log.Last.Should().BeGreaterThanOrEqualTo(end);
        (await fresh.GetBoundsAsync(CancellationToken.None)).Last.Should().Be(0);
        using StorageEnvironment own = StorageEnvironment.Open(folder);
        own.BeginWrite().Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_crash_at_any_step_can_be_repeated(bool after)
    {
        for (int step = 0; ; step++)
        {
            await using Cluster cluster = new();
            FolderSnapshots place = Place(cluster);
            cluster.Configure = options => options.Snapshots = place;
            string folder = cluster.FolderOf("a");
            long last = FillAlone(folder);
            await using SimulatedLog.Client log = cluster.Log.Connect();
            StumblingLog stumbling = new(log, place, step, after);
            Func<Task> reseed = async () => await Replica.ReseedAsync(folder, stumbling, Options(stumbling));
            if (step >= 6)
            {
                await reseed.Should().NotThrowAsync();
                stumbling.HasFailed.Should().BeFalse("bounds, list, two appends, snapshot and trim are all calls");
                break;
            }

            await reseed.Should().ThrowAsync<LogUnavailableException>();
            if (step < 5)
            {
                Replica.ReadPlace(folder).Should().BeNull("it is as it was");
                using StorageEnvironment alone = StorageEnvironment.Open(folder);
                last++;
                Put(alone, "between");
            }

            ReplicaSnapshot snapshot = await Replica.ReseedAsync(folder, log, Options(place));
            (snapshot.TransactionId, snapshot.Position).Should().Be((last, cluster.Log.Last));
            File.Exists(Path.Combine(folder, "replica.reseed")).Should().BeFalse();
            await cluster.StartAsync("a");
            await cluster.StartAsync("b", mayLead: false);
            (await Cluster.PutAsync(await cluster.LeaderAsync(), "k", "v")).Should().Be(last + 1);
            await cluster.AreEqualAsync();
            Cluster.Get(cluster["b"], "own1").Should().Be("v");
        }
    }

    [Fact]
    public async Task A_node_that_is_opened_before_the_snapshot_is_there_does_not_begin_with_nothing()
    {
        await using Cluster cluster = new();
        FolderSnapshots place = Place(cluster);
        cluster.Configure = options => options.Snapshots = place;
        FillAlone(cluster.FolderOf("a"));
        await using SimulatedLog.Client log = cluster.Log.Connect();
        StumblingLog stumbling = new(log, place, at: 4, after: false);
        Func<Task> reseed = async () => await Replica.ReseedAsync(cluster.FolderOf("a"), stumbling, Options(stumbling));
        await reseed.Should().ThrowAsync<LogUnavailableException>();
        Replica early = await cluster.StartAsync("b");
        await Cluster.UntilAsync(() => early.Role == ReplicaRole.Stopped);
        early.Status.Failure!.Fault.Should().Be(ReplicaFault.BehindLog);
        early.Status.TransactionId.Should().Be(0);
        await cluster.StopAsync("b");
        await Replica.ReseedAsync(cluster.FolderOf("a"), log, Options(place));
        await cluster.StartAsync("a");
        await cluster.StartAsync("b");
        await cluster.AreEqualAsync();
    }

    [Fact]
    public async Task Only_a_closed_database_of_a_node_is_discarded()
    {
        await using Cluster cluster = new();
        await cluster.StartAsync("a");
        await Cluster.PutAsync(await cluster.LeaderAsync(), "k", "v");
        string folder = cluster.FolderOf("a");
        string own = cluster.FolderOf("own");
        FillAlone(own);
        Action discard = () => Replica.Discard(folder);
        discard.Should().Throw<StorageLockedException>();
        await cluster.StopAsync("a");
        using (StorageEnvironment.Open(folder, new StorageOptions { ReadOnly = true }))
        {
            discard.Should().Throw<StorageLockedException>("a reader has it open");
        }

        File.WriteAllText(Path.Combine(folder, "notes.txt"), "not of the database");
        discard();
        Directory.EnumerateFileSystemEntries(folder).Select(Path.GetFileName).Should().Equal("notes.txt");
        discard.Should().Throw<StorageException>("there is none");
        Action alone = () => Replica.Discard(own);
        alone.Should().Throw<InvalidOperationException>().WithMessage("*follows no log*");
        using (StorageEnvironment environment = StorageEnvironment.Open(own))
        {
            environment.GetReport().LastTransactionId.Should().BePositive();
        }

        await cluster.StartAsync("a");
        await cluster.LeaderAsync();
        Cluster.Get(cluster["a"], "k").Should().Be("v", "the log has it");
    }

    private static FolderSnapshots Place(Cluster cluster) => new(cluster.FolderOf("new-snapshots"));

    private static ReplicaOptions Options(IReplicaSnapshots? snapshots) => new() { NodeName = "a", Snapshots = snapshots };

    private static string[] Files(string folder) => [.. Directory.EnumerateFileSystemEntries(folder).Order()];

    private static async Task Refused<T>(string folder, IReplicatedLog log, ReplicaOptions options, string message)
        where T : Exception
    {
        Func<Task> reseed = async () => await Replica.ReseedAsync(folder, log, options);
        await reseed.Should().ThrowAsync<T>().WithMessage(message);
    }

    private static long FillAlone(string folder)
    {
        using StorageEnvironment own = StorageEnvironment.Open(folder);
        for (int i = 0; i < 3; i++)
        {
            Put(own, $"own{i}");
        }

        return own.GetReport().LastTransactionId;
    }

    private static void Put(StorageEnvironment environment, string key)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("t").Put(Encoding.UTF8.GetBytes(key), "v"u8);
        transaction.Commit();
    }

    /// <summary>Some transactions on all nodes, of which the first has the most; all are stopped then.</summary>
    private static async Task<long> FillAsync(Cluster cluster, string[] names)
    {
        foreach (string name in names)
        {
            await cluster.StartAsync(name, mayLead: name == names[0]);
        }

        Replica leader = await cluster.LeaderAsync();
        await Cluster.PutAsync(leader, "k", "0");
        await cluster.AreEqualAsync();
        foreach (string name in names[1..])
        {
            await cluster.StopAsync(name);
        }

        long last = 0;
        for (int i = 0; i < 5; i++)
        {
            last = await Cluster.PutAsync(leader, $"k{i}", "v");
        }

        await cluster.StopAsync(names[0]);
        return last;
    }
}
