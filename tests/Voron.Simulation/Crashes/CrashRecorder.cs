namespace Voron.Simulation.Crashes;

/// <summary>
/// Takes a crash point before, within and after every call that changes what a crash would leave, and whenever a promise is made or a
/// reader could see more than before.
/// </summary>
internal sealed class CrashRecorder
{
    private readonly SimDisk _disk;
    private SimSnapshot? _last;
    private long _lastVersion = -1;
    private CrashBounds _lastBounds;

    internal CrashRecorder(SimDisk disk, CrashBounds bounds)
    {
        _disk = disk;
        Bounds = bounds;
        disk.OnCall = (call, phase) => Note(phase, call);
    }

    internal List<CrashPoint> Points { get; } = [];

    internal CrashBounds Bounds { get; set; }

    /// <summary>What a reader that began now would see raises the bounds: it may be seen only when it cannot be lost any more.</summary>
    internal Func<CrashBounds, CrashBounds>? Seen { get; set; }

    internal int Step { get; set; } = -1;

    internal void Note(SimPhase phase = SimPhase.After, SimCall? call = null)
    {
        Bounds = Seen?.Invoke(Bounds) ?? Bounds;
        long version = _disk.StateVersion;
        if (version == _lastVersion && Bounds == _lastBounds)
        {
            return;
        }

        _last = version == _lastVersion ? _last! : _disk.Capture();
        _lastVersion = version;
        _lastBounds = Bounds;
        bool isOfNames = call is not null && (call.Kind & (SimCallKind.Rename | SimCallKind.Delete)) != 0;
        Points.Add(new CrashPoint(_last, Bounds, Step, call is null ? "between calls" : $"{phase} {call}", isOfNames));
    }

    internal void Stop() => _disk.OnCall = null;
}
