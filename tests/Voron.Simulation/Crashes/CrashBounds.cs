namespace Voron.Simulation.Crashes;

/// <summary>What a recovery from one moment may yield: at least what was promised or seen before it, at most what was started.</summary>
internal readonly record struct CrashBounds(long LeastAfterCut, long LeastAfterKill, long Most);
