namespace Voron.Bench;

/// <summary>What the puts of a fill that goes on are like.</summary>
internal enum PutLoad
{
    /// <summary>Each put is of a new random key.</summary>
    Fill,

    /// <summary>The first half of the puts is a fill; the other half gives all of its keys other values, in random order.</summary>
    Updates,

    /// <summary>A fill, of which nine of ten puts go to one sixteenth of the range of keys.</summary>
    Skewed,

    /// <summary>A fill; in its second half every second put is followed by the deletion of an old item.</summary>
    Deletes,
}
