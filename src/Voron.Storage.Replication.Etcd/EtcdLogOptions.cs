using Grpc.Net.Client;

namespace Voron.Storage.Replication.Etcd;

/// <summary>Where an <see cref="EtcdLog"/> is.</summary>
public sealed class EtcdLogOptions
{
    /// <summary>The servers as addresses, separated by commas (default <c>http://localhost:2379</c>).</summary>
    public string Endpoints { get; set; } = "http://localhost:2379";

    /// <summary>What the keys of this log begin with, one for each database. Needed.</summary>
    public string Name { get; set; } = string.Empty;

    /// <summary>
    /// The longest entry in bytes (default 1 MiB, at least 4,096). It has to stay below the servers' <c>--max-request-bytes</c>, 1.5 MiB
    /// unless that is set, by 1 KiB.
    /// </summary>
    public int MaxEntryBytes { get; set; } = 1 << 20;

    /// <summary>How long a call waits for an answer (default 5 s) before it ends with <see cref="LogUnavailableException"/>.</summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Changes the settings of the channel: credentials, TLS, logging. Null (the default) for none. It must not add a policy of retries: an
    /// append that is sent twice would be reported as a conflict with itself.
    /// </summary>
    public Action<GrpcChannelOptions>? ConfigureChannel { get; set; }

    internal EtcdLogOptions Checked()
    {
        ArgumentException.ThrowIfNullOrEmpty(Endpoints);
        ArgumentException.ThrowIfNullOrEmpty(Name);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxEntryBytes, 4096);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RequestTimeout, TimeSpan.Zero);
        return (EtcdLogOptions)MemberwiseClone();
    }
}
