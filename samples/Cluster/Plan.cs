using System.Globalization;

namespace Voron.Samples.Cluster;

/// <summary>How the processes of a new cluster are started.</summary>
internal static class Plan
{
    private const int Count = 3;

    internal const string Nats = "nats";
    internal const string Etcd = "etcd";

    /// <param name="log"><see cref="Nats"/> or <see cref="Etcd"/>.</param>
    /// <param name="folder">The cluster's folder.</param>
    /// <param name="file">Where the nodes find the cluster.</param>
    internal static ClusterFile Make(string log, string folder, string file)
    {
        int[] ports = Ports.Free(3 * Count);
        Running[] servers = log == Nats
            ? NatsServers(folder, ports[..Count], ports[Count..(2 * Count)])
            : EtcdServers(folder, ports[..Count], ports[Count..(2 * Count)]);
        string urls = string.Join(',', servers.Select(static one => one.Url));
        Running[] nodes = [.. ports[(2 * Count)..].Select((port, i) => Node($"n{i + 1}", Address("http", port), log, urls, folder, file))];
        return new ClusterFile(nodes, servers);
    }

    private static Running Node(string name, string url, string log, string servers, string folder, string file) => new(name, url, 0,
    [
        Environment.ProcessPath!, typeof(Plan).Assembly.Location, "node", "--name", name, "--urls", url,
        "--folder", Path.Combine(folder, name), "--log", log, "--servers", servers, "--cluster", file,
    ]);

    private static Running[] NatsServers(string folder, int[] ports, int[] routes)
    {
        string program = Processes.Program("nats-server", "nats-server");
        string all = string.Join(',', routes.Select(static port => Address("nats", port)));
        return [.. ports.Select((port, i) =>
        {
            string name = $"log{i + 1}";
            string[] start =
            [
                program, "-a", "127.0.0.1", "-p", port.ToString(CultureInfo.InvariantCulture), "-n", name, "-js",
                "-sd", Path.Combine(folder, name), "-l", Path.Combine(folder, name + ".txt"),
                "--cluster_name", "three", "--cluster", Address("nats", routes[i]), "--routes", all,
            ];
            return new Running(name, Address("nats", port), 0, start);
        })];
    }

    private static Running[] EtcdServers(string folder, int[] ports, int[] peers)
    {
        string program = Processes.Program("etcd", "etcd-server");
        string all = string.Join(',', peers.Select(static (port, i) => $"log{i + 1}={Address("http", port)}"));
        return [.. ports.Select((port, i) =>
        {
            string name = $"log{i + 1}";
            string url = Address("http", port);
            string peer = Address("http", peers[i]);
            string[] start =
            [
                program, "--name", name, "--data-dir", Path.Combine(folder, name), "--logger", "zap", "--log-level", "warn",
                "--log-outputs", Path.Combine(folder, name + ".txt"), "--listen-client-urls", url, "--advertise-client-urls", url,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", all,
                "--auto-compaction-mode", "periodic", "--auto-compaction-retention", "5m",
            ];
            return new Running(name, url, 0, start);
        })];
    }

    private static string Address(string scheme, int port) => string.Create(CultureInfo.InvariantCulture, $"{scheme}://127.0.0.1:{port}");
}
