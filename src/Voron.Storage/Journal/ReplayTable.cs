using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The decision after each record, as a table of three facts. One write may hold several records and a power cut keeps any of its sectors, so a later valid record alone proves
/// nothing: only one that says that something at or behind the bad place was on the device when it was written.
/// </summary>
internal static class ReplayTable
{
    /// <param name="nextIsGood">The next place in the same chunk holds the next record of the chain.</param>
    /// <param name="laterChunkGoesOn">The first record of a later chunk is the next one of the chain.</param>
    /// <param name="laterRecordProvesLoss">A valid record behind the bad place says that the bad place was on the device.</param>
    internal static ReplayVerdict Judge(bool nextIsGood, bool laterChunkGoesOn, bool laterRecordProvesLoss)
    {
        if (Sabotage.Is(SabotageRule.TruncateAtFirstBad))
        {
            laterRecordProvesLoss = false;
        }

        return (nextIsGood, laterChunkGoesOn, laterRecordProvesLoss) switch
        {
            (true, _, _) => ReplayVerdict.NextRecord,
            (false, true, _) => ReplayVerdict.LaterChunk,
            (false, false, true) => ReplayVerdict.LostMiddle,
            (false, false, false) => ReplayVerdict.TornTail,
        };
    }
}
