namespace Voron.Simulation;

/// <summary>What a faulty call does all the same, whatever it reports.</summary>
internal enum SimFaultEffect
{
    Nothing,

    /// <summary>A write puts the first half of its sectors into the cache.</summary>
    Half,

    /// <summary>All of it happens, but a write or a sync promises nothing: its atoms stay pending.</summary>
    Everything,

    /// <summary>
    /// A write, or the unsynced writes before a sync, stay in the cache as if they were clean, and no later sync brings them to the
    /// device: a power cut reverts them.
    /// </summary>
    LoseUnsynced,

    /// <summary>
    /// A write succeeds, but the file's map goes on showing what was there before, until the cache is evicted. Other calls just succeed.
    /// </summary>
    LateArrival,
}
