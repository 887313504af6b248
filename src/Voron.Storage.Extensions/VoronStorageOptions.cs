namespace Voron.Storage.Extensions;

/// <summary>
/// Settings of an environment that a host opens, to be set in code or bound to a section of the configuration. Those that
/// <see cref="StorageOptions"/> has too mean the same there and have the same defaults.
/// </summary>
public sealed class VoronStorageOptions
{
    private static readonly StorageOptions Defaults = new();

    /// <summary>The database's folder; a relative one lies below the host's content root. Needed, unless <see cref="InMemory"/>.</summary>
    public string? Path { get; set; }

    /// <summary>The database is in memory only (default false): nothing of it survives the process.</summary>
    public bool InMemory { get; set; }

    /// <inheritdoc cref="StorageOptions.PageSize"/>
    public int? PageSize { get; set; }

    /// <inheritdoc cref="StorageOptions.CreateIfMissing"/>
    public bool CreateIfMissing { get; set; } = Defaults.CreateIfMissing;

    /// <inheritdoc cref="StorageOptions.ReadOnly"/>
    public bool ReadOnly { get; set; }

    /// <inheritdoc cref="StorageOptions.MaxDirtyBytes"/>
    public long? MaxDirtyBytes { get; set; }

    /// <inheritdoc cref="StorageOptions.JournalSoftLimitBytes"/>
    public long? JournalSoftLimitBytes { get; set; }

    /// <inheritdoc cref="StorageOptions.JournalHardLimitBytes"/>
    public long? JournalHardLimitBytes { get; set; }

    /// <summary>How long lazy commits may stay in memory (<see cref="LazyWindow.Time"/>).</summary>
    public TimeSpan LazyTime { get; set; } = LazyWindow.Default.Time;

    /// <summary>How many bytes of lazy commits may stay in memory (<see cref="LazyWindow.Bytes"/>).</summary>
    public int LazyBytes { get; set; } = LazyWindow.Default.Bytes;

    /// <inheritdoc cref="StorageOptions.DisposeTimeout"/>
    public TimeSpan DisposeTimeout { get; set; } = Defaults.DisposeTimeout;

    /// <inheritdoc cref="StorageOptions.ReaderWarningAge"/>
    public TimeSpan ReaderWarningAge { get; set; } = Defaults.ReaderWarningAge;

    /// <summary>From when on the health check complains.</summary>
    public StorageHealthLimits Health { get; set; } = new();

    /// <summary>Opens the environment in another way, for example on another disk; null for the default.</summary>
    internal Func<string, StorageOptions, StorageEnvironment>? OpenWith { get; set; }
}
