namespace Voron.Storage.Recovery;

/// <summary>What follows the last good record of the commit journal.</summary>
internal enum ReplayVerdict
{
    /// <summary>Another record of the same chunk.</summary>
    NextRecord,

    /// <summary>
    /// The first record of a later chunk: the journal switched chunks, or an earlier recovery continued there. The rest of this chunk is
    /// ignored.
    /// </summary>
    LaterChunk,

    /// <summary>The end of the journal: nothing acknowledged follows.</summary>
    TornTail,

    /// <summary>An acknowledged record is lost.</summary>
    LostMiddle,

    /// <summary>A chunk that was in use is missing, damaged or foreign.</summary>
    LostChunk,
}
