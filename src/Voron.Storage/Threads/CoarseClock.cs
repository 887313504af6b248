namespace Voron.Storage.Threads;

/// <summary>
/// A clock that costs next to nothing to read, for ages that people look at: milliseconds of the system's clock, or what a test's clock
/// says.
/// </summary>
internal sealed class CoarseClock(TimeProvider time)
{
    private readonly bool _isSystem = time == TimeProvider.System;

    internal long Now => _isSystem ? Environment.TickCount64 : time.GetTimestamp();

    internal TimeSpan Since(long moment) => _isSystem
        ? TimeSpan.FromMilliseconds(Environment.TickCount64 - moment)
        : time.GetElapsedTime(moment);
}
