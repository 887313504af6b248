namespace Voron.Simulation.Crashes;

/// <summary>A moment of a run at which it might crash.</summary>
internal sealed record CrashPoint(SimSnapshot Snapshot, CrashBounds Bounds, int Step, string Where, bool IsOfNames = false);
