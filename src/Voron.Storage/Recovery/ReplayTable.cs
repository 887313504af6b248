namespace Voron.Storage.Recovery;

/// <summary>
/// The decision after each record, as a table of four facts. One write may hold several records, and a power cut keeps any subset of its
/// sectors, so a later valid record alone does not prove a loss. A loss is proved only by a record which says that something at or after
/// the bad place was on the device when it was written, or by a chunk whose predecessor is missing or not sound.
/// </summary>
internal static class ReplayTable
{
    /// <param name="nextIsGood">The next place in the same chunk holds the next record of the chain.</param>
    /// <param name="laterChunkGoesOn">The first record of a later chunk is the next one of the chain.</param>
    /// <param name="chunkIsLost">A later chunk or the header slot names a chunk that is missing or not sound.</param>
    /// <param name="laterRecordProvesLoss">A valid record after the bad place says that the bad place was on the device.</param>
    internal static ReplayVerdict Judge(bool nextIsGood, bool laterChunkGoesOn, bool chunkIsLost, bool laterRecordProvesLoss)
    {
        return (nextIsGood, laterChunkGoesOn, chunkIsLost, laterRecordProvesLoss) switch
        {
            (true, _, _, _) => ReplayVerdict.NextRecord,
            (false, true, _, _) => ReplayVerdict.LaterChunk,
            (false, false, true, _) => ReplayVerdict.LostChunk,
            (false, false, false, true) => ReplayVerdict.LostMiddle,
            (false, false, false, false) => ReplayVerdict.TornTail,
        };
    }
}
