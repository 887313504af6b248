using System.Numerics;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// Decides when a checkpoint is due, how much writers are slowed meanwhile, and when they must wait for it: by the bytes written to the
/// commit journal since the last checkpoint, and by the memory that page versions use.
/// </summary>
internal sealed class BackPressure(StorageOptions options, CommitJournal commits, VersionTable versions, Func<long> pendingBytes)
{
    private const int ChunksToSoftLimit = 16;
    private const int LargestChunkBytes = 16 << 20;
    private const int LongestFragmentBytes = 4 << 20;
    private const int FewChunks = 3;
    private const long MostPendingJournalBytes = 768L << 20;
    private const long MuchMemoryBytes = 512L << 20;
    private const long MostLayerBytes = 384L << 20;
    private const int LayersToMemory = 6;

    private readonly long _leastSoftDirtyBytes = 3 * LimitRules.MaxDirtyBytesOf(options) / 4;
    private long _writtenAtCheckpoint;

    /// <summary>Whether a checkpoint has ended and the memory that it released is not free yet.</summary>
    private volatile bool _isReclaimDue;

    /// <summary>Bytes that no checkpoint frees: versions that readers retain.</summary>
    private long _retainedBytes;

    internal long MaxDirtyBytes { get; } = LimitRules.MaxDirtyBytesOf(options);

    internal long JournalSoftLimitBytes { get; } = LimitRules.SoftLimitBytesOf(options);

    internal long JournalHardLimitBytes { get; } = LimitRules.HardLimitBytesOf(options);

    /// <summary>Whether a checkpoint should begin.</summary>
    internal bool IsDue => JournalGrowth >= JournalSoftLimitBytes || (IsMemoryFull && !_isReclaimDue);

    /// <summary>Whether writers must wait for the checkpoint.</summary>
    internal bool IsHard => Pressure >= 1;

    /// <summary>
    /// How much writers are slowed: not at all in the first half of the way from the soft to the hard limit, and in proportion in the
    /// second half.
    /// </summary>
    internal double Brake => Math.Max(0, (2 * Pressure) - 1);

    /// <summary>0 up to the soft limits, 1 from a hard limit on, in proportion between them.</summary>
    internal double Pressure => Math.Max(
        Share(JournalGrowth, JournalSoftLimitBytes, JournalHardLimitBytes),
        HasMuchMemory ? Share(versions.Memory.UsedBytes, SoftDirtyBytes, HardDirtyBytes) : 0);

    /// <summary>Bytes written to the commit journal since the last checkpoint.</summary>
    internal long JournalGrowth => commits.BytesWritten - Volatile.Read(ref _writtenAtCheckpoint);

    /// <summary>Part of the memory that writers can always use, even if readers retain much.</summary>
    private long HardDirtyBytes => Math.Max(MaxDirtyBytes, RetainedBytes + (MaxDirtyBytes / 4));

    private long RetainedBytes => Math.Max(Volatile.Read(ref _retainedBytes), pendingBytes());

    /// <summary>
    /// Three quarters of the hard limit: with random keys a checkpoint writes nearly every page, so each one that begins later saves one.
    /// </summary>
    private long SoftDirtyBytes => (RetainedBytes + (3 * HardDirtyBytes)) / 4;

    /// <summary>Whether as much is in use as the soft limit is at least. Every transaction asks, and most need no more than this.</summary>
    private bool HasMuchMemory => versions.Memory.UsedBytes >= _leastSoftDirtyBytes;

    /// <summary>
    /// Most of the memory is for pending trees, and the rest for the pages that merging them changes. A recovery reads as much of the
    /// journal for them as they may use memory, with a limit. Where that is little, too few entries would go to each leaf: more of them
    /// wait in files, and while a round merges them the journal grows by twice as much.
    /// </summary>
    internal static PendingLimits PendingLimitsOf(StorageOptions options)
    {
        if (options.Engine.PendingBytes is { } bytes)
        {
            return new PendingLimits(bytes, options.Engine.PendingLayerBytes ?? 0, FewChunks, EndOneIn: 9);
        }

        long dirtyBytes = LimitRules.MaxDirtyBytesOf(options);
        long layerBytes = options.Engine.PendingLayerBytes
            ?? (dirtyBytes < MuchMemoryBytes ? Math.Min(dirtyBytes * LayersToMemory, MostLayerBytes) : 0);
        long journalBytes = Math.Min(Math.Max(dirtyBytes, layerBytes * 2), MostPendingJournalBytes);
        return new PendingLimits(dirtyBytes / 8 * 5, layerBytes, journalBytes / MaxChunkBytes(options), EndOneIn: 0);
    }

    /// <summary>Whether versions of pages fill the memory, whatever the length of the journal.</summary>
    internal bool IsMemoryFull => HasMuchMemory && versions.Memory.UsedBytes >= SoftDirtyBytes;

    /// <summary>The redo notes of a transaction are memory too: at most a sixteenth of the dirty budget if that is small.</summary>
    internal static int FragmentBytesOf(StorageOptions options) =>
        options.Engine.FragmentBytes ?? (int)Math.Min(LongestFragmentBytes, LimitRules.MaxDirtyBytesOf(options) / 16);

    /// <summary>
    /// Longest commit chunk: several of them fit below the soft limit, so the length of the journal follows what is needed.
    /// </summary>
    internal static long MaxChunkBytes(StorageOptions options) => Math.Clamp(
        (long)BitOperations.RoundUpToPowerOf2((ulong)LimitRules.SoftLimitBytesOf(options) / ChunksToSoftLimit),
        FormatConstants.MinChunkBytes,
        LargestChunkBytes);

    /// <summary>Notes the end of a checkpoint that covers everything written to the journal up to then.</summary>
    internal void Checkpointed(long bytesWritten)
    {
        _isReclaimDue = true;
        Volatile.Write(ref _writtenAtCheckpoint, bytesWritten);
    }

    /// <summary>Measures what readers retain, when everything is in the file and versions that no snapshot sees are freed.</summary>
    internal void MeasureRetained() => Volatile.Write(ref _retainedBytes, versions.Memory.UsedBytes);

    /// <summary>
    /// Notes that a write transaction has freed the versions that no snapshot sees. What ended readers retained no longer counts.
    /// </summary>
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
