using NATS.Client.Core;

namespace Voron.Storage.Replication.Nats;

/// <summary>Where a <see cref="JetStreamLog"/> is, and how its stream is created.</summary>
public sealed class JetStreamLogOptions
{
    /// <summary>The servers, separated by commas (default <c>nats://localhost:4222</c>).</summary>
    public string Url { get; set; } = "nats://localhost:4222";

    /// <summary>The name of the stream, one for each database. Needed; letters, digits, <c>-</c> and <c>_</c>.</summary>
    public string Stream { get; set; } = string.Empty;

    /// <summary>The subject that entries are published to; null (the default) for the name of the stream and <c>.log</c>.</summary>
    public string? Subject { get; set; }

    /// <summary>
    /// The number of servers that hold the stream, 1 to 5 (default 3). A stream with fewer is refused. With 1, the log is lost with the
    /// disk of its server.
    /// </summary>
    public int Replicas { get; set; } = 3;

    /// <summary>A missing stream is created (default true). Without it, opening fails if there is none.</summary>
    public bool CreateStream { get; set; } = true;

    /// <summary>How long a call waits for an answer (default 5 s) before it ends with <see cref="LogUnavailableException"/>.</summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Changes the settings of the connections: credentials, TLS, logging. Null (the default) for none.</summary>
    public Func<NatsOpts, NatsOpts>? ConfigureConnection { get; set; }

    internal string SubjectOrDefault => Subject ?? Stream + ".log";

    internal JetStreamLogOptions Checked()
    {
        ArgumentException.ThrowIfNullOrEmpty(Url);
        ArgumentException.ThrowIfNullOrEmpty(Stream);
        ArgumentOutOfRangeException.ThrowIfLessThan(Replicas, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Replicas, 5);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RequestTimeout, TimeSpan.Zero);
        if (!JetStreamConnection.IsName(Stream))
        {
            throw new ArgumentException($"'{Stream}' has characters that a stream's name cannot have.", nameof(Stream));
        }

        if (SubjectOrDefault.Length == 0 || SubjectOrDefault.Any(static one => char.IsWhiteSpace(one) || one is '*' or '>'))
        {
            throw new ArgumentException($"'{Subject}' is not one subject.", nameof(Subject));
        }

        return (JetStreamLogOptions)MemberwiseClone();
    }

    internal NatsOpts Connection(string purpose) =>
        JetStreamConnection.Settings(Url, $"voron {Stream} {purpose}", RequestTimeout, ConfigureConnection);
}
