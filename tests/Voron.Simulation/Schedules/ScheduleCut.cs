namespace Voron.Simulation.Schedules;

/// <summary>A power cut at a moment of a schedule, as it stands on a tape; the seed chooses what survives it.</summary>
internal readonly record struct ScheduleCut(long Moment, ulong Seed);
