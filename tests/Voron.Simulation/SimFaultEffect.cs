namespace Voron.Simulation;

/// <summary>What a faulty call does all the same, whatever it reports.</summary>
internal enum SimFaultEffect
{
    /// <summary>With no error reported, a write or a sync that was acknowledged and lost.</summary>
    Nothing,

    /// <summary>A write puts the first half of its sectors into the cache; a read gives the first half of its bytes.</summary>
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

    /// <summary>One bit of what is read, or of what is written, is turned over.</summary>
    FlipBit,

    /// <summary>A write goes to the place one block further on, a read comes from there.</summary>
    Misdirect,

    /// <summary>A read gives the bytes that stood on the device before the unsynced writes.</summary>
    Stale,

    /// <summary>
    /// The call is as good as any, but first the fault's pause is run, with the disk free for the calls of others. Nothing is reported.
    /// </summary>
    Delay,
}
