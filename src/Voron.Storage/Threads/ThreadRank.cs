namespace Voron.Storage.Threads;

/// <summary>How a thread of the engine shares the processors with others.</summary>
internal enum ThreadRank
{
    /// <summary>Like a caller: callers wait for its work.</summary>
    Ordinary,

    /// <summary>
    /// Commits, and the system threads that complete their writes, run first when they wake. Its share is the ordinary one: a checkpoint
    /// that is starved would make commits wait in the end.
    /// </summary>
    GivesWay,

    /// <summary>The same, with a small share of the processors while others need them: its work may take as long as it likes.</summary>
    StepsBack,
}
