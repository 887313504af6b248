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

        if (options.JournalSoftLimitBytes < LimitRules.SmallestSoftLimitBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.JournalSoftLimitBytes, "JournalSoftLimitBytes is at least 65536.");
        }

        if (options.JournalHardLimitBytes
            < (options.JournalSoftLimitBytes ?? (LimitRules.SmallestSoftLimitBytes * LimitRules.HardFactor)))
        {
            throw new ArgumentOutOfRangeException(
                nameof(options),
                options.JournalHardLimitBytes,
                "JournalHardLimitBytes is at least JournalSoftLimitBytes, or 131072 if that is not set.");
        }

        if (options.MaxDirtyBytes is < 1 << 20)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.MaxDirtyBytes, "MaxDirtyBytes is at least 1 MiB.");
        }

        if (options.KeepChangesBytes < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.KeepChangesBytes, "KeepChangesBytes is zero or more.");
        }

        if (!IsTimeout(options.DisposeTimeout))
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.DisposeTimeout, "DisposeTimeout is zero or more, or Timeout.InfiniteTimeSpan.");
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

        if (options.FollowInterval is { } interval
            && (!options.ReadOnly || interval < TimeSpan.FromMilliseconds(1) || interval.TotalMilliseconds > int.MaxValue))
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), interval, "FollowInterval is at least a millisecond and at most 24 days, and only with ReadOnly.");
        }

        ArgumentNullException.ThrowIfNull(options.TimeProvider);
    }

    /// <summary>
    /// Refuses a time-out that is none. Gives what timers and waits of the system can keep: a longer one, of more than 24 days, has no
    /// limit.
    /// </summary>
    internal static TimeSpan CheckTimeout(TimeSpan timeout)
    {
        if (!IsTimeout(timeout))
        {
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A time-out is zero or more, or Timeout.InfiniteTimeSpan; nothing was begun.");
        }

        return timeout.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : timeout;
    }

    private static bool IsTimeout(TimeSpan timeout) => timeout >= TimeSpan.Zero || timeout == Timeout.InfiniteTimeSpan;
}
