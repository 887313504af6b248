using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Voron.Storage.Replication.Nats;

/// <summary>A stream of NATS JetStream as the log of a node, and a bucket of its object store as the place of its snapshots.</summary>
public static class VoronReplicaJetStreamServices
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    private static readonly Action<ILogger, string, string, Exception?> IsWeak = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(1, "JetStreamIsWeak"), "Stream or bucket '{Stream}': {Weakness}");

    private static readonly Action<ILogger, string, string, Exception?> IsAway = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(2, "JetStreamIsAway"), "Stream or bucket '{Stream}' is waited for: {Reason}");

    /// <summary>
    /// The node's log is this stream. It is opened when the host starts, which waits for servers that do not answer yet; what weakens the
    /// log is logged.
    /// </summary>
    /// <param name="builder">The node, from <c>AddVoronReplica</c>.</param>
    /// <param name="configure">Says where the stream is.</param>
    public static VoronReplicaBuilder UseJetStream(this VoronReplicaBuilder builder, Action<JetStreamLogOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        JetStreamLogOptions options = new();
        configure(options);
        options = options.Checked();
        return builder.UseLog(async (services, cancellation) => await OpenAsync(
            token => JetStreamLog.OpenAsync(options, token), static log => log.Warnings, options.Stream, services, cancellation)
            .ConfigureAwait(false));
    }

    /// <summary>
    /// The node's snapshots are in this bucket. It is opened when the host starts, which waits for servers that do not answer yet; what
    /// weakens the bucket is logged.
    /// </summary>
    /// <param name="builder">The node, from <c>AddVoronReplica</c>.</param>
    /// <param name="configure">Says where the bucket is.</param>
    public static VoronReplicaBuilder UseJetStreamSnapshots(
        this VoronReplicaBuilder builder, Action<JetStreamSnapshotsOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        JetStreamSnapshotsOptions options = new();
        configure(options);
        options = options.Checked();
        return builder.UseSnapshots(async (services, cancellation) => await OpenAsync(
            token => JetStreamSnapshots.OpenAsync(options, token), static place => place.Warnings, options.Bucket, services, cancellation)
            .ConfigureAwait(false));
    }

    private static async ValueTask<T> OpenAsync<T>(
        Func<CancellationToken, ValueTask<T>> open,
        Func<T, IReadOnlyList<string>> warnings,
        string name,
        IServiceProvider services,
        CancellationToken cancellation)
    {
        ILogger? logger = services.GetService<ILoggerFactory>()?.CreateLogger<T>();
        while (true)
        {
            try
            {
                T opened = await open(cancellation).ConfigureAwait(false);
                if (logger is not null)
                {
                    foreach (string weakness in warnings(opened))
                    {
                        IsWeak(logger, name, weakness, null);
                    }
                }

                return opened;
            }
            catch (LogUnavailableException e)
            {
                if (logger is not null)
                {
                    IsAway(logger, name, e.Message, null);
                }

                await Task.Delay(Pause, cancellation).ConfigureAwait(false);
            }
        }
    }
}
