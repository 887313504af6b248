using System.Globalization;
using Voron.Storage.Replication.Etcd;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>One etcd.</summary>
public class EtcdServer : LogServer
{
    private readonly int _port = FreePorts.Next();
    private readonly int _peerPort = FreePorts.Next();

    public string Url => UrlAt(_port);

    internal override int Port => _port;

    /// <summary>The settings that tests use: less patience than the default.</summary>
    public EtcdLogOptions Options(string name) => new()
    {
        Endpoints = Url,
        Name = name,
        RequestTimeout = TimeSpan.FromSeconds(3),
    };

    /// <summary>More arguments of the server.</summary>
    private protected virtual string[] More => [];

    internal override void UseIn(VoronReplicaBuilder node, string name) => node.UseEtcd(options =>
    {
        options.Endpoints = Url;
        options.Name = name;
    });

    private protected override ServerProcess Prepare(string folder)
    {
        string peer = UrlAt(_peerPort);
        return new ServerProcess(
            Installed.Need("etcd", "etcd-server"),
            _port,
            [
                "--name", "one", "--data-dir", Data, "--logger", "zap", "--log-level", "warn",
                "--listen-client-urls", Url, "--advertise-client-urls", Url,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "one=" + peer,
                .. More,
            ]);
    }

    private protected override async Task<IReplicatedLog> OpenLogAsync(string name, int port, CancellationToken cancellation)
    {
        EtcdLogOptions options = Options(name);
        options.Endpoints = UrlAt(port);
        return await EtcdLog.OpenAsync(options, cancellation);
    }

    private static string UrlAt(int port) => string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}");
}
