namespace Voron.Simulation.Ranges;

/// <summary>What carries the entries that are only in memory at the snapshot of a checkpoint.</summary>
internal enum RangeCarrier
{
    /// <summary>The image set has them as a sorted run.</summary>
    Run,

    /// <summary>
    /// The commit journal: it is kept from the oldest of them, and recovery finds them there by the transaction up to which each range is
    /// merged, before it replays what is after the snapshot.
    /// </summary>
    Journal,
}
