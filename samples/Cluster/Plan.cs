namespace Voron.Samples.Cluster;

/// <summary>How the processes of a new cluster are started.</summary>
internal static class Plan
{
    private const int Count = 3;

    /// <param name="log"><see cref="LogPlan.Nats"/> or <see cref="LogPlan.Etcd"/>.</param>
    /// <param name="folder">The cluster's folder.</param>
    /// <param name="file">Where the nodes find the cluster.</param>
    internal static ClusterFile Make(string log, string folder, string file)
    {
        int[] ports = Ports.Free(3 * Count);
        Running[] servers = LogPlan.Servers(log, folder, ports[..(2 * Count)]);
        string urls = string.Join(',', servers.Select(static one => one.Url));
        Running[] nodes =
            [.. ports[(2 * Count)..].Select((port, i) => Node($"n{i + 1}", LogPlan.Address("http", port), log, urls, folder, file))];
        return new ClusterFile(nodes, servers);
    }

    private static Running Node(string name, string url, string log, string servers, string folder, string file) => new(name, url, 0,
    [
        Environment.ProcessPath!, typeof(Plan).Assembly.Location, "node", "--name", name, "--urls", url,
        "--folder", Path.Combine(folder, name), "--log", log, "--servers", servers, "--cluster", file,
    ]);
}
