using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Net.Client.Balancer;
using Grpc.Net.Client.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Voron.Storage.Replication.Etcd;

/// <summary>
/// The connections to the servers. Calls go to all servers in turn and are never sent twice; servers that do not answer pings are left out.
/// </summary>
internal static class EtcdChannel
{
    /// <summary>Servers refuse clients that ping more often than every five seconds.</summary>
    private static readonly TimeSpan PingDelay = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan PingTimeout = TimeSpan.FromSeconds(5);

    internal static GrpcChannel Open(EtcdLogOptions options)
    {
        Uri[] servers = [.. options.Endpoints.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(static one => new Uri(one.Contains("://", StringComparison.Ordinal) ? one : "http://" + one))];
        ServiceCollection services = new();
        services.AddSingleton<ResolverFactory>(
            new StaticResolverFactory(_ => [.. servers.Select(static server => new BalancerAddress(server.Host, server.Port))]));
        GrpcChannelOptions settings = new()
        {
            HttpHandler = new SocketsHttpHandler
            {
                EnableMultipleHttp2Connections = true,
                ConnectTimeout = options.RequestTimeout,
                KeepAlivePingDelay = PingDelay,
                KeepAlivePingTimeout = PingTimeout,
                KeepAlivePingPolicy = HttpKeepAlivePingPolicy.Always,
            },
            DisposeHttpClient = true,
            Credentials = servers.All(static server => server.Scheme == Uri.UriSchemeHttps)
                ? ChannelCredentials.SecureSsl
                : ChannelCredentials.Insecure,
            ServiceConfig = new ServiceConfig { LoadBalancingConfigs = { new RoundRobinConfig() } },
            ServiceProvider = services.BuildServiceProvider(),
            InitialReconnectBackoff = TimeSpan.FromMilliseconds(100),
            MaxReconnectBackoff = TimeSpan.FromSeconds(1),
            MaxReceiveMessageSize = null,
            MaxSendMessageSize = null,
        };
        options.ConfigureChannel?.Invoke(settings);
        return GrpcChannel.ForAddress("static:///etcd", settings);
    }
}
