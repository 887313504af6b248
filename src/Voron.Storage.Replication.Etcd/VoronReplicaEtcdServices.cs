using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Voron.Storage.Replication.Etcd;

/// <summary>Keys of etcd as the log of a node.</summary>
public static class VoronReplicaEtcdServices
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    private static readonly Action<ILogger, string, string, Exception?> IsWeak = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(1, "EtcdIsWeak"), "The log '{Log}': {Weakness}");

    private static readonly Action<ILogger, string, string, Exception?> IsAway = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(2, "EtcdIsAway"), "The log '{Log}' is waited for: {Reason}");

    /// <summary>
    /// The node's log is in these keys. It is opened when the host starts, which waits for servers that do not answer yet; what weakens the
    /// log is logged.
    /// </summary>
    /// <param name="builder">The node, from <c>AddVoronReplica</c>.</param>
    /// <param name="configure">Says where the log is.</param>
    public static VoronReplicaBuilder UseEtcd(this VoronReplicaBuilder builder, Action<EtcdLogOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        EtcdLogOptions options = new();
        configure(options);
        options = options.Checked();
        return builder.UseLog((services, cancellation) =>
            OpenAsync(options, services.GetService<ILoggerFactory>()?.CreateLogger<EtcdLog>(), cancellation));
    }

    private static async ValueTask<IReplicatedLog> OpenAsync(
        EtcdLogOptions options, ILogger? logger, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                EtcdLog log = await EtcdLog.OpenAsync(options, cancellation).ConfigureAwait(false);
                if (logger is not null)
                {
                    foreach (string weakness in log.Warnings)
                    {
                        IsWeak(logger, options.Name, weakness, null);
                    }
                }

                return log;
            }
            catch (LogUnavailableException e)
            {
                if (logger is not null)
                {
                    IsAway(logger, options.Name, e.Message, null);
                }

                await Task.Delay(Pause, cancellation).ConfigureAwait(false);
            }
        }
    }
}
