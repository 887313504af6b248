using System.Globalization;
using Voron.Storage.Replication.Nats;

namespace Voron.Storage.Replication.Carriers.Tests.Servers;

/// <summary>One nats-server with JetStream.</summary>
public sealed class NatsServer : LogServer
{
    private readonly int _port = FreePorts.Next();

    public string Url => UrlAt(_port);

    internal override int Port => _port;

    internal static string Program => Installed.Need("nats-server", "nats-server");

    /// <summary>The settings that tests use: one server, and less patience with it than the default.</summary>
    public JetStreamLogOptions Options(string name) => new()
    {
        Url = Url,
        Stream = name,
        Replicas = 1,
        RequestTimeout = TimeSpan.FromSeconds(3),
    };

    /// <summary>The same for a bucket of snapshots.</summary>
    public JetStreamSnapshotsOptions SnapshotsOptions(string name) => new()
    {
        Url = Url,
        Bucket = name,
        Replicas = 1,
        RequestTimeout = TimeSpan.FromSeconds(3),
    };

    internal override void UseIn(VoronReplicaBuilder node, string name) => node.UseJetStream(options =>
    {
        options.Url = Url;
        options.Stream = name;
        options.Replicas = 1;
    });

    private protected override ServerProcess Prepare(string folder) => new(
        Program, _port, "-a", "127.0.0.1", "-p", _port.ToString(CultureInfo.InvariantCulture), "-js", "-sd", Data);

    private protected override async Task<IReplicatedLog> OpenLogAsync(string name, int port, CancellationToken cancellation)
    {
        JetStreamLogOptions options = Options(name);
        options.Url = UrlAt(port);
        return await JetStreamLog.OpenAsync(options, cancellation);
    }

    private static string UrlAt(int port) => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}");
}
