namespace Voron.Simulation.Schedules;

/// <summary>What a thread of a program does in one step.</summary>
internal enum ScheduleVerb
{
    Durable,
    Buffered,
    Rollback,

    /// <summary>Begins a read, looks at everything so many times, and ends it.</summary>
    Read,
    Checkpoint,
    Report,
}
