namespace Voron.Simulation.Schedules;

/// <summary>What a thread of a program does in one step.</summary>
internal enum ScheduleVerb
{
    Durable,
    Buffered,

    /// <summary>A durable commit whose caller goes on at once, and asks for the outcome before its next step of another kind.</summary>
    Async,

    /// <summary>Visible at once, written when others are.</summary>
    Lazy,

    /// <summary>Durable, begun without a thread that waits for the writer lock.</summary>
    BeginAsync,

    /// <summary>Small writes that share a transaction with those of other threads.</summary>
    Share,

    /// <summary>The same, but the action throws, and nothing of it may be left.</summary>
    ShareAndFail,
    Rollback,

    /// <summary>Lazy, with the second half of the changes undone by a roll-back to a savepoint.</summary>
    Undo,

    /// <summary>As <see cref="Undo"/>, with a checkpoint in the middle of the transaction, before the roll-back to the savepoint.</summary>
    UndoMoved,

    /// <summary>As <see cref="Rollback"/>, behind such a checkpoint.</summary>
    RollbackMoved,

    /// <summary>As <see cref="Async"/>, behind such a checkpoint.</summary>
    AsyncMoved,

    /// <summary>Begins a read, looks at everything so many times, and ends it.</summary>
    Read,
    Checkpoint,
    Report,
}
