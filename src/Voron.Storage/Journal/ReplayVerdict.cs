namespace Voron.Storage.Journal;

/// <summary>What follows the last good record of the commit journal.</summary>
internal enum ReplayVerdict
{
    /// <summary>Another record of the same chunk.</summary>
    NextRecord,

    /// <summary>
    /// The first record of a later chunk: a roll-over, or an earlier recovery that went on there. What is left behind in this chunk is
    /// nothing.
    /// </summary>
    LaterChunk,

    /// <summary>Nothing that was acknowledged: the end.</summary>
    TornTail,

    /// <summary>A record that was acknowledged is lost.</summary>
    LostMiddle,

    /// <summary>A chunk that was in use is missing, damaged or foreign.</summary>
    LostChunk,
}
