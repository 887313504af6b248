using System.Globalization;

namespace Voron.Samples.Cluster;

/// <summary>How the servers of a new log are started.</summary>
internal static class LogPlan
{
    internal const string Nats = "nats";
    internal const string Etcd = "etcd";

    /// <summary>The servers of a log: as many as half the ports, of which each takes one for clients and one for the others.</summary>
    internal static Running[] Servers(string log, string folder, int[] ports)
    {
        int count = ports.Length / 2;
        return log == Nats ? NatsServers(folder, ports[..count], ports[count..]) : EtcdServers(folder, ports[..count], ports[count..]);
    }

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
                .. routes.Length == 1
                    ? Array.Empty<string>()
                    : ["--cluster_name", "three", "--cluster", Address("nats", routes[i]), "--routes", all],
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

    internal static string Address(string scheme, int port) => string.Create(CultureInfo.InvariantCulture, $"{scheme}://127.0.0.1:{port}");
}
