namespace Voron.Storage.Platform;

/// <summary>
/// Rules that the test build can break on purpose, one at a time, to prove that the tests notice. Numbers in comments are those of the
/// reliability rules.
/// </summary>
internal enum SabotageRule
{
    None = 0,

    /// <summary>R1: chunks of all lives share one salt, and sequence, offset and the record before are not compared.</summary>
    AcceptStaleRecords,

    /// <summary>
    /// R1: a chunk gets the same salt in every life, and neither its sequence nor the record before, which protect as well, are compared.
    /// </summary>
    ReuseSalt,

    /// <summary>R2: any bad record ends the journal without a look behind it.</summary>
    TruncateAtFirstBad,

    /// <summary>R2: any valid record behind a bad one is taken as proof of loss.</summary>
    AnyLaterRecordIsProof,

    /// <summary>R3: replay goes on after a gap.</summary>
    AcceptGap,

    /// <summary>
    /// R7: the header slot is written before the data file is synced, and recovery takes that slot's batch to be in its place.
    /// </summary>
    HeaderBeforeDataSync,

    /// <summary>R7: both header slots are written between two syncs.</summary>
    WriteBothSlots,

    /// <summary>R7: journals are recycled before the header is durable.</summary>
    RecycleBeforeHeader,

    /// <summary>R12′: held pages are written in place before the batch is complete.</summary>
    ApplyBeforeBatch,

    /// <summary>R12′: the batch head is written before the fresh pages are synced.</summary>
    BatchBeforeFreshSync,

    /// <summary>
    /// R12′: the head is written before the rest of its batch, and a batch counts although its head or table fails the checks.
    /// </summary>
    AcceptIncompleteBatch,

    /// <summary>R12′: the deferred list is forgotten at the next checkpoint.</summary>
    DropDeferredList,

    /// <summary>R13: a chunk is used before its content and header are synced.</summary>
    UseChunkBeforeItsSync,

    /// <summary>R17: the journal directory is not synced after a chunk got its name.</summary>
    SkipJournalDirectorySync,

    /// <summary>R18: recovery does not sync what a killed predecessor left in the cache.</summary>
    SkipSyncAtOpen,

    /// <summary>R23: a commit is acknowledged before its write returns.</summary>
    AcknowledgeEarly,

    /// <summary>R28: the checkpoint overwrites pages that readers see in the file.</summary>
    OverwriteBlockedPages,

    /// <summary>R8: page versions leave memory before the data file is synced.</summary>
    ReleaseBeforeSync,

    /// <summary>R28: a chunk is recycled although it holds images that are still deferred.</summary>
    ForgetDeferredAtRecycle,

    /// <summary>R7: the commit chunk in which the record of the checkpoint's snapshot stands is recycled.</summary>
    RecycleChunkOfMark,

    /// <summary>R33: recovery takes the newest slot's batch for the base though a newer one is complete.</summary>
    IgnoreBatchesAfterSlot,

    /// <summary>R5: page versions leave memory although nobody has looked whether the map shows what was written.</summary>
    SkipMapCompare,

    /// <summary>R8: a sync that failed is tried again and then believed.</summary>
    RetryFailedSync,

    /// <summary>R12′: the newest batch is recycled before the header of the next one is durable.</summary>
    RecycleNewestBatch,

    /// <summary>R14: the batch head says how long the file is before the file is, and before what is new in it is there.</summary>
    GrowAfterBatch,

    /// <summary>R25: the chunk that commits are being written to is recycled.</summary>
    RecycleChunkInUse,
}
