namespace Voron.Storage.Extensions;

/// <summary>From when on the health check calls an environment degraded.</summary>
public sealed class StorageHealthLimits
{
    /// <summary>Least room in the file system, in bytes (default 256 MiB). Commits need some, checkpoints more.</summary>
    public long MinFreeDiskBytes { get; set; } = 256L << 20;

    /// <summary>
    /// Most bytes of the commit journal that no checkpoint has brought to the data file. Default: null, three quarters of
    /// <see cref="VoronStorageOptions.JournalHardLimitBytes"/>, where writers will soon have to wait.
    /// </summary>
    public long? MaxCheckpointLagBytes { get; set; }

    /// <summary>
    /// Greatest age of an open read transaction. Default: null, that of <see cref="VoronStorageOptions.ReaderWarningAge"/>.
    /// </summary>
    public TimeSpan? MaxReaderAge { get; set; }
}
