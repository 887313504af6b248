using System.Numerics;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// Decides when a checkpoint is due, how much writers are slowed meanwhile, and when they must wait for it: by the bytes that went to the
/// commit journal since the last one and by the memory that page versions hold.
/// </summary>
internal sealed class BackPressure(StorageOptions options, CommitJournal commits, VersionTable versions)
{
    private const int ChunksToSoftLimit = 4;
    private const int LongestFragmentBytes = 4 << 20;

    private long _writtenAtCheckpoint;

    /// <summary>A checkpoint is done, and what it kept in memory has not gone yet.</summary>
    private volatile bool _isReclaimDue;

    /// <summary>What no checkpoint gives back: versions that readers hold.</summary>
    private long _retainedBytes;

    private static long DefaultMaxDirtyBytes => Math.Min(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4, 1L << 30);

    internal long MaxDirtyBytes { get; } = MaxDirtyBytesOf(options);

    /// <summary>A checkpoint should begin.</summary>
    internal bool IsDue =>
        JournalGrowth >= options.JournalSoftLimitBytes || (versions.Memory.UsedBytes >= SoftDirtyBytes && !_isReclaimDue);

    /// <summary>Writers must wait for the checkpoint.</summary>
    internal bool IsHard => Pressure >= 1;

    /// <summary>
    /// How much writers are slowed: not at all while a checkpoint can do with the first half of the way from soft to hard limit, and in
    /// proportion on the second.
    /// </summary>
    internal double Brake => Math.Max(0, (2 * Pressure) - 1);

    /// <summary>0 up to the soft limits, 1 from a hard limit on, in proportion between them.</summary>
    internal double Pressure => Math.Max(
        Share(JournalGrowth, options.JournalSoftLimitBytes, options.JournalHardLimitBytes),
        Share(versions.Memory.UsedBytes, SoftDirtyBytes, HardDirtyBytes));

    /// <summary>Bytes that went to the commit journal since the last checkpoint.</summary>
    internal long JournalGrowth => commits.BytesWritten - Volatile.Read(ref _writtenAtCheckpoint);

    /// <summary>Writers must get on even when readers hold much of what they may use.</summary>
    private long HardDirtyBytes => Math.Max(MaxDirtyBytes, Volatile.Read(ref _retainedBytes) + (MaxDirtyBytes / 4));

    /// <summary>
    /// Three quarters of the way: with random keys a checkpoint writes nearly every page there is, so each that begins later is one less.
    /// </summary>
    private long SoftDirtyBytes => (Volatile.Read(ref _retainedBytes) + (3 * HardDirtyBytes)) / 4;

    internal static long MaxDirtyBytesOf(StorageOptions options) => options.MaxDirtyBytes ?? DefaultMaxDirtyBytes;

    /// <summary>A transaction's notes are memory too: a sixteenth of what there may be, where that is not much.</summary>
    internal static int FragmentBytesOf(StorageOptions options) =>
        options.Engine.FragmentBytes ?? (int)Math.Min(LongestFragmentBytes, MaxDirtyBytesOf(options) / 16);

    /// <summary>Several chunks fit below the soft limit, so that journal files follow what is needed, not what is convenient.</summary>
    internal static long MaxChunkBytes(StorageOptions options) => Math.Clamp(
        (long)BitOperations.RoundUpToPowerOf2((ulong)options.JournalSoftLimitBytes / ChunksToSoftLimit),
        FormatConstants.MinChunkBytes,
        FormatConstants.MaxChunkBytes);

    /// <summary>A checkpoint is done that holds what was written up to then.</summary>
    internal void Checkpointed(long bytesWritten)
    {
        _isReclaimDue = true;
        Volatile.Write(ref _writtenAtCheckpoint, bytesWritten);
    }

    /// <summary>Everything is in the file, and versions that nobody sees are gone: what memory is left in use is the readers'.</summary>
    internal void MeasureRetained() => Volatile.Write(ref _retainedBytes, versions.Memory.UsedBytes);

    /// <summary>A write transaction has let go what nobody sees. Readers that ended: what they held counts no more.</summary>
    internal void Reclaimed()
    {
        _isReclaimDue = false;
        if (versions.Memory.UsedBytes < Volatile.Read(ref _retainedBytes))
        {
            MeasureRetained();
        }
    }

    private static double Share(long bytes, long soft, long hard) =>
        bytes >= hard ? 1 : bytes <= soft ? 0 : (bytes - soft) / (double)(hard - soft);
}
