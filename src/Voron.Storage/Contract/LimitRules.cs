namespace Voron.Storage;

/// <summary>The limits in force: those that were set, and in place of the others what suits the memory of the process.</summary>
internal static class LimitRules
{
    /// <summary>Smallest and largest <see cref="StorageOptions.JournalSoftLimitBytes"/> by default.</summary>
    internal const long LeastSoftLimitBytes = 256L << 20;

    /// <inheritdoc cref="LeastSoftLimitBytes"/>
    internal const long MostSoftLimitBytes = 320L << 20;

    /// <summary>Smallest <see cref="StorageOptions.JournalHardLimitBytes"/> by default.</summary>
    internal const long LeastHardLimitBytes = 512L << 20;

    /// <summary>Largest <see cref="StorageOptions.MaxDirtyBytes"/> by default.</summary>
    internal const long MostDirtyBytes = 1L << 30;

    /// <summary>Smallest soft limit that can be set.</summary>
    internal const long SmallestSoftLimitBytes = 64 << 10;

    /// <summary>The hard limit is this many times the soft one.</summary>
    internal const int HardFactor = 2;

    internal static long MaxDirtyBytesOf(StorageOptions options) =>
        options.MaxDirtyBytes ?? Math.Min(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 8, MostDirtyBytes);

    /// <summary>Half the dirty budget, within bounds: with more memory for page versions more changes share a checkpoint.</summary>
    internal static long SoftLimitBytesOf(StorageOptions options) => options.JournalSoftLimitBytes ?? Math.Min(
        Math.Clamp(MaxDirtyBytesOf(options) / 2, LeastSoftLimitBytes, MostSoftLimitBytes),
        (options.JournalHardLimitBytes ?? long.MaxValue) / HardFactor);

    internal static long HardLimitBytesOf(StorageOptions options) => options.JournalHardLimitBytes
        ?? Math.Max(Math.Min(SoftLimitBytesOf(options), long.MaxValue / HardFactor) * HardFactor, LeastHardLimitBytes);
}
