using Voron.Storage.Replication;

namespace Voron.Samples.Cluster;

/// <summary>The arguments of a node.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Url">Where it listens.</param>
/// <param name="Folder">The folder of its database.</param>
/// <param name="Log">Which log it has.</param>
/// <param name="Servers">The servers of the log.</param>
/// <param name="Cluster">The file with all processes, which is there when the cluster is ready.</param>
internal sealed record NodeSettings(string Name, string Url, string Folder, string Log, string Servers, string Cluster)
{
    /// <summary>The log is silent for so long before another node leads.</summary>
    internal static readonly TimeSpan LeaderTimeout = TimeSpan.FromSeconds(2);

    /// <summary>Seldom enough for a sample whose log may be small, as that of etcd is.</summary>
    private const long SnapshotEvery = 64 << 20;

    internal static NodeSettings Of(IConfiguration arguments)
    {
        return new NodeSettings(Need("name"), Need("urls"), Need("folder"), Need("log"), Need("servers"), Need("cluster"));

        string Need(string key) => arguments[key] ?? throw new ArgumentException($"A node needs --{key}.");
    }

    internal void Configure(ReplicaOptions options)
    {
        options.NodeName = Name;
        options.Address = Url;
        options.LeaderTimeout = LeaderTimeout;
        options.HeartbeatInterval = LeaderTimeout / 5;
        options.CommitTimeout = TimeSpan.FromSeconds(10);
        options.Snapshots = new FolderSnapshots(Path.Combine(Path.GetDirectoryName(Cluster)!, "snapshots"));
        options.SnapshotEvery = SnapshotEvery;
    }
}
