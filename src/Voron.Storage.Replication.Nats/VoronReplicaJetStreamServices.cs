using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Voron.Storage.Replication.Nats;

/// <summary>A stream of NATS JetStream as the log of a node.</summary>
public static class VoronReplicaJetStreamServices
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    private static readonly Action<ILogger, string, string, Exception?> IsWeak = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(1, "JetStreamIsWeak"), "The stream '{Stream}': {Weakness}");

    private static readonly Action<ILogger, string, string, Exception?> IsAway = LoggerMessage.Define<string, string>(
        LogLevel.Warning, new EventId(2, "JetStreamIsAway"), "The stream '{Stream}' is waited for: {Reason}");

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
        return builder.UseLog((services, cancellation) =>
            OpenAsync(options, services.GetService<ILoggerFactory>()?.CreateLogger<JetStreamLog>(), cancellation));
    }

    private static async ValueTask<IReplicatedLog> OpenAsync(
        JetStreamLogOptions options, ILogger? logger, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                JetStreamLog log = await JetStreamLog.OpenAsync(options, cancellation).ConfigureAwait(false);
                if (logger is not null)
                {
                    foreach (string weakness in log.Warnings)
                    {
                        IsWeak(logger, options.Stream, weakness, null);
                    }
                }

                return log;
            }
            catch (LogUnavailableException e)
            {
                if (logger is not null)
                {
                    IsAway(logger, options.Stream, e.Message, null);
                }

                await Task.Delay(Pause, cancellation).ConfigureAwait(false);
            }
        }
    }
}
