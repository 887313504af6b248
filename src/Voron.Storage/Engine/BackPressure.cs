using Voron.Storage.Journal;
using Voron.Storage.Paging;

namespace Voron.Storage.Engine;

/// <summary>
/// Decides when a checkpoint is due and when writers must wait for it: by the bytes that went to the commit journal since the last one
/// and by the memory that page versions hold.
/// </summary>
internal sealed class BackPressure(StorageOptions options, CommitJournal commits, VersionTable versions)
{
    private long _writtenAtCheckpoint;

    internal static long DefaultMaxDirtyBytes => Math.Min(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4, 1L << 30);

    internal long MaxDirtyBytes { get; } = options.MaxDirtyBytes ?? DefaultMaxDirtyBytes;

    /// <summary>A checkpoint should begin.</summary>
    internal bool IsDue => JournalGrowth >= options.JournalSoftLimitBytes || versions.Memory.UsedBytes >= MaxDirtyBytes / 2;

    /// <summary>Writers must wait for the checkpoint.</summary>
    internal bool IsHard => JournalGrowth >= options.JournalHardLimitBytes || versions.Memory.UsedBytes >= MaxDirtyBytes;

    private long JournalGrowth => commits.BytesWritten - Volatile.Read(ref _writtenAtCheckpoint);

    /// <summary>A checkpoint is done that holds what was written up to then.</summary>
    internal void Checkpointed(long bytesWritten) => Volatile.Write(ref _writtenAtCheckpoint, bytesWritten);
}
