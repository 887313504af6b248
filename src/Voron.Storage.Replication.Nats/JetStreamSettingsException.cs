namespace Voron.Storage.Replication.Nats;

/// <summary>
/// A stream cannot carry commits as it is set: it would drop entries, or keep them only in memory. Waiting does not help.
/// </summary>
public sealed class JetStreamSettingsException : Exception
{
    internal JetStreamSettingsException(string stream, IReadOnlyList<string> settings, Exception? inner = null)
        : base($"The stream '{stream}' cannot carry commits. Set: {string.Join("; ", settings)}.", inner) => Settings = settings;

    /// <summary>What to set, one line for each setting: its name in the stream's configuration, what it must be and what it is.</summary>
    public IReadOnlyList<string> Settings { get; }
}
