namespace Voron.Simulation.Crashes;

/// <summary>One state that a crash could leave. The set is reused for the next one.</summary>
internal readonly record struct CrashState(CutChoice Choice, AtomSet Kept, Hash128 Hash);
