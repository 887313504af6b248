namespace Voron.Storage;

/// <summary>Settings of a full backup.</summary>
public sealed class BackupOptions
{
    /// <summary>Most bytes that are written to the pipe in a second, on average; 0 (the default) for no limit.</summary>
    public long BytesPerSecond { get; init; }
}
