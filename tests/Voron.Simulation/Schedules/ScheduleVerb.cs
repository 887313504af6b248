namespace Voron.Simulation.Schedules;

/// <summary>What a thread of a program does in one step.</summary>
internal enum ScheduleVerb
{
    Durable,
    Buffered,

    /// <summary>A durable commit whose caller goes on at once, and asks for the outcome before its next step of another kind.</summary>
    Async,
    Rollback,

    /// <summary>Begins a read, looks at everything so many times, and ends it.</summary>
    Read,
    Checkpoint,
    Report,
}
