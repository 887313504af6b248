namespace Voron.Simulation.Fuzz;

/// <summary>How the life of a seed image's database ended.</summary>
internal enum FuzzEnd
{
    /// <summary>Disposed.</summary>
    Closed,

    /// <summary>Killed after its last commit.</summary>
    Killed,

    /// <summary>Killed at some disk call of a checkpoint.</summary>
    InCheckpoint,

    /// <summary>Killed, and killed again at some disk call of the open after that.</summary>
    InOpening,

    /// <summary>The power was cut while the last commit was being written.</summary>
    Cut,
}
