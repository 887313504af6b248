using NATS.Client.Core;

namespace Voron.Storage.Replication.Nats;

/// <summary>Where <see cref="JetStreamSnapshots"/> are, and how their bucket is created.</summary>
public sealed class JetStreamSnapshotsOptions
{
    /// <summary>The servers, separated by commas (default <c>nats://localhost:4222</c>).</summary>
    public string Url { get; set; } = "nats://localhost:4222";

    /// <summary>The name of the bucket, one for each database. Needed; letters, digits, <c>-</c> and <c>_</c>.</summary>
    public string Bucket { get; set; } = string.Empty;

    /// <summary>The number of servers that hold the bucket, 1 to 5 (default 3). A bucket with fewer is refused.</summary>
    public int Replicas { get; set; } = 3;

    /// <summary>A missing bucket is created (default true). Without it, opening fails if there is none.</summary>
    public bool CreateBucket { get; set; } = true;

    /// <summary>
    /// How long the servers may be silent (default 5 s) before a call ends with <see cref="LogUnavailableException"/>. The time that the
    /// caller takes to write or read a snapshot does not count.
    /// </summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Changes the settings of the connection: credentials, TLS, logging. Null (the default) for none.</summary>
    public Func<NatsOpts, NatsOpts>? ConfigureConnection { get; set; }

    /// <summary>Parts of a snapshot that a process left behind are removed when nothing was added to them for this long.</summary>
    internal TimeSpan AbandonedAfter { get; set; } = TimeSpan.FromHours(1);

    internal string Stream => "OBJ_" + Bucket;

    internal JetStreamSnapshotsOptions Checked()
    {
        ArgumentException.ThrowIfNullOrEmpty(Url);
        ArgumentException.ThrowIfNullOrEmpty(Bucket);
        ArgumentOutOfRangeException.ThrowIfLessThan(Replicas, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Replicas, 5);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RequestTimeout, TimeSpan.Zero);
        if (!JetStreamConnection.IsName(Bucket))
        {
            throw new ArgumentException($"'{Bucket}' has characters that a bucket's name cannot have.", nameof(Bucket));
        }

        return (JetStreamSnapshotsOptions)MemberwiseClone();
    }

    internal NatsOpts Connection() =>
        JetStreamConnection.Settings(Url, $"voron {Bucket} snapshots", RequestTimeout, ConfigureConnection);
}
