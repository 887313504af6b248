namespace Voron.Storage;

/// <summary>Checks options once, at the door.</summary>
internal static class OptionRules
{
    internal static void Check(StorageOptions options)
    {
        if (options.PageSize is { } page && page is not (4096 or 8192 or 16384 or 32768 or 65536))
        {
            throw new ArgumentOutOfRangeException(nameof(options), page, "PageSize is 4096, 8192, 16384, 32768 or 65536 bytes.");
        }

        if (options.JournalSoftLimitBytes < 64 << 10)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.JournalSoftLimitBytes, "JournalSoftLimitBytes is at least 65536.");
        }

        if (options.JournalHardLimitBytes < options.JournalSoftLimitBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.JournalHardLimitBytes, "JournalHardLimitBytes is at least JournalSoftLimitBytes.");
        }

        if (options.MaxDirtyBytes is < 1 << 20)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.MaxDirtyBytes, "MaxDirtyBytes is at least 1 MiB.");
        }

        if (options.DisposeTimeout < TimeSpan.Zero && options.DisposeTimeout != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.DisposeTimeout, "DisposeTimeout is zero or more.");
        }

        if (options.ReaderWarningAge < TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.ReaderWarningAge, "ReaderWarningAge is zero or more.");
        }

        if (options.LazyWindow.Time <= TimeSpan.Zero || options.LazyWindow.Time > TimeSpan.FromMinutes(1) || options.LazyWindow.Bytes <= 0)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.LazyWindow, "LazyWindow is more than no time and no bytes, and at most a minute.");
        }

        ArgumentNullException.ThrowIfNull(options.TimeProvider);
    }
}
