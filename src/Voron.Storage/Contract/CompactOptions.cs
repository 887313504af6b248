namespace Voron.Storage;

/// <summary>Settings of a compaction.</summary>
public sealed class CompactOptions
{
    /// <summary>
    /// Bytes of pages that are moved in one transaction, about; writers wait for it. At least one page, and one value, is moved. Default:
    /// 64 KiB.
    /// </summary>
    public int BytesPerTransaction { get; init; } = 64 << 10;

    /// <summary>Most bytes that are moved in a second, on average; 0 for no limit. Default: 50 MiB.</summary>
    public long BytesPerSecond { get; init; } = 50 << 20;

    /// <summary>
    /// Free space that the file keeps for what will be written next, as a part of what is in use; from 0 to 1. Default: 0.05.
    /// </summary>
    public double LeaveFreeShare { get; init; } = 0.05;
}
