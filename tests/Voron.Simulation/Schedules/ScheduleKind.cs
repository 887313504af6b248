namespace Voron.Simulation.Schedules;

/// <summary>The protocols that schedules explore.</summary>
internal enum ScheduleKind
{
    /// <summary>Several writers with group commits, durable and buffered, and readers beside them.</summary>
    Commit,

    /// <summary>Checkpoints beside writers that reclaim versions and readers that come and stay.</summary>
    Flush,

    /// <summary>The engine's own threads: flusher, chunk supply, memory supply; transactions that fill chunks.</summary>
    Background,

    /// <summary>Writes that share transactions, callers that begin without waiting, lazy commits among others.</summary>
    Share,

    /// <summary>The environment is disposed while transactions begin and end.</summary>
    Close,

    /// <summary>Page versions that are freed and reused beside readers that come and go, and beside a checkpoint that moves them.</summary>
    Release,

    /// <summary>Commits that fill chunks and go over to new ones, beside checkpoints that take chunks back.</summary>
    Recycle,

    /// <summary>The environment is disposed, without threads of its own, beside readers and writers that come and go.</summary>
    Dispose,

    /// <summary>Large values and checkpoints that make the data file longer, beside readers of its map.</summary>
    Grow,

    /// <summary>
    /// Values of a few pages that come and go, transactions that are undone as a whole or to a savepoint, and checkpoints, beside readers:
    /// the chains of page versions, also between the steps that change one.
    /// </summary>
    Chain,

    /// <summary>Several writers of durable transactions, which fill groups; half of them make their pages beside their write.</summary>
    Gather,
}
