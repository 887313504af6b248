namespace Voron.Storage.Threads;

/// <summary>
/// A clock that is cheap to read, for ages shown to people: milliseconds of the system, or the time of the given provider.
/// </summary>
internal sealed class CoarseClock(TimeProvider time)
{
    private readonly bool _isSystem = time == TimeProvider.System;

    internal long Now => _isSystem ? Environment.TickCount64 : time.GetTimestamp();

    internal TimeSpan Since(long moment) => _isSystem
        ? TimeSpan.FromMilliseconds(Environment.TickCount64 - moment)
        : time.GetElapsedTime(moment);
}
