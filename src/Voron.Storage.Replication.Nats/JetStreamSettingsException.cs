namespace Voron.Storage.Replication.Nats;

/// <summary>
/// A stream cannot carry commits, or a bucket cannot keep snapshots, as it is set: it would drop some, or keep them only in memory. Waiting
/// does not help.
/// </summary>
public sealed class JetStreamSettingsException : Exception
{
    internal JetStreamSettingsException(string stream, IReadOnlyList<string> settings, Exception? inner = null)
        : this(settings, $"The stream '{stream}' cannot carry commits", inner)
    {
    }

    private JetStreamSettingsException(IReadOnlyList<string> settings, string trouble, Exception? inner)
        : base($"{trouble}. Set: {string.Join("; ", settings)}.", inner) => Settings = settings;

    /// <summary>What to set, one line for each setting: its name in the stream's configuration, what it must be and what it is.</summary>
    public IReadOnlyList<string> Settings { get; }

    internal static JetStreamSettingsException OfBucket(string bucket, IReadOnlyList<string> settings, Exception? inner = null) =>
        new(settings, $"The bucket '{bucket}' cannot keep snapshots", inner);
}
