using System.Diagnostics;
using System.Globalization;
using Voron.Samples.Cluster;
using Voron.Storage.Replication;
using Voron.Storage.Replication.Etcd;
using Voron.Storage.Replication.Nats;

namespace Voron.Bench.Replicas;

/// <summary>One server of a log on this machine, in a folder of its own.</summary>
internal sealed class LogServer : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly Process _process;

    private LogServer(LogKind kind, string url, Process process)
    {
        Kind = kind;
        Url = url;
        _process = process;
    }

    internal LogKind Kind { get; }

    internal string Url { get; }

    /// <exception cref="FileNotFoundException">It is not installed.</exception>
    internal static async Task<LogServer> StartAsync(LogKind kind, string folder)
    {
        int[] ports = Ports.Free(2);
        Directory.CreateDirectory(folder);
        string data = Path.Combine(folder, "data");
        string said = Path.Combine(folder, "said.txt");
        string url = kind == LogKind.Nats ? Address("nats", ports[0]) : Address("http", ports[0]);
        string[] words = kind == LogKind.Nats
            ?
            [
                Processes.Program("nats-server", "nats-server"), "-a", "127.0.0.1",
                "-p", ports[0].ToString(CultureInfo.InvariantCulture), "-js", "-sd", data, "-l", said,
            ]
            : EtcdWords(data, said, url, Address("http", ports[1]));
        LogServer server = new(kind, url, Processes.Start(words));
        using CancellationTokenSource limit = new(Patience);
        while (!await Ports.IsOpenAsync(new Uri(url), limit.Token))
        {
            await Task.Delay(50, limit.Token);
        }

        return server;
    }

    internal Task<IReplicatedLog> OpenAsync(string name) => OpenAsync(Kind, Url, name);

    /// <summary>Opens a log; waits for a server that has just been started.</summary>
    internal static async Task<IReplicatedLog> OpenAsync(LogKind kind, string url, string name)
    {
        using CancellationTokenSource limit = new(Patience);
        while (true)
        {
            try
            {
                return kind == LogKind.Nats
                    ? await JetStreamLog.OpenAsync(new JetStreamLogOptions { Url = url, Stream = name, Replicas = 1 }, limit.Token)
                    : await EtcdLog.OpenAsync(new EtcdLogOptions { Endpoints = url, Name = name }, limit.Token);
            }
            catch (LogUnavailableException) when (!limit.IsCancellationRequested)
            {
                await Task.Delay(50, CancellationToken.None);
            }
        }
    }

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }

    private static string[] EtcdWords(string data, string said, string url, string peer) =>
    [
        Processes.Program("etcd", "etcd-server"), "--name", "one", "--data-dir", data, "--logger", "zap", "--log-level", "warn",
        "--log-outputs", said, "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer,
        "--initial-advertise-peer-urls", peer, "--initial-cluster", "one=" + peer,
    ];

    private static string Address(string scheme, int port) => string.Create(CultureInfo.InvariantCulture, $"{scheme}://127.0.0.1:{port}");
}
