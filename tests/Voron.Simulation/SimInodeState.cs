namespace Voron.Simulation;

/// <summary>One file in a captured state. Its contents are forks that nobody writes.</summary>
internal sealed record SimInodeState(long Id, SimContent Durable, SimContent Volatile, long[]? Lost, long[]? Unreadable);
