namespace Voron.Simulation.Crashes;

/// <summary>What an acknowledged commit survives.</summary>
internal enum CommitPromise
{
    /// <summary>A power cut.</summary>
    Durable,

    /// <summary>The death of the process; a power cut may lose it with all after it.</summary>
    Buffered,

    /// <summary>Nothing by itself; it is there when a later one is.</summary>
    Lazy,
}
