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

    /// <summary>R11: images, table and head of a batch are written and never synced.</summary>
    SkipBatchSync,

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

    /// <summary>R7: the commit chunk in which the record of the checkpoint's snapshot stands is recycled.</summary>
    RecycleChunkOfMark,

    /// <summary>R33: recovery takes the newest slot's batch for the base though a newer one is complete.</summary>
    IgnoreBatchesAfterSlot,

    /// <summary>R5: page versions leave memory although nobody has looked whether the map shows what was written.</summary>
    SkipMapCompare,

    /// <summary>R8: a sync that failed is tried again and then believed.</summary>
    RetryFailedSync,

    /// <summary>R14: the batch head says how long the file is before the file is, and before what is new in it is there.</summary>
    GrowAfterBatch,

    /// <summary>R25: the chunk that commits are being written to is recycled.</summary>
    RecycleChunkInUse,

    /// <summary>R23: transactions are visible before the write that holds them.</summary>
    PublishBeforeWrite,

    /// <summary>R6: a reader does not look again whether the snapshot that it registered is still the visible one.</summary>
    RegisterWithoutSecondLook,

    /// <summary>R31: the readers are collected before the visible transaction is read.</summary>
    ReadersBeforeVisible,

    /// <summary>R31: the readers are collected before the gate is taken that a checkpoint unlinks versions under.</summary>
    ReadersOutsideGate,

    /// <summary>R28: the checkpoint looks at the readers before its own registration fixes what new ones see.</summary>
    DecideBeforePin,

    /// <summary>R28: versions that a checkpoint moved to the file do not wait for readers of the visible snapshot.</summary>
    ReleaseAtPublish,

    /// <summary>R31: the snapshot of a running checkpoint keeps no versions.</summary>
    PinnedNotCounted,

    /// <summary>R3: the commit record of a checkpoint's snapshot is looked up apart from the snapshot.</summary>
    MarkApartFromSnapshot,

    /// <summary>R29: a reader does not notice that a version began another life under its hand.</summary>
    IgnoreStamp,

    /// <summary>Commits that wait for a write are not woken after it.</summary>
    ForgetWaiters,

    /// <summary>R23: who lets others join the batch that is to be written does not reserve the write.</summary>
    GatherUnreserved,

    /// <summary>R23: the environment closes without waiting for commits that are sealed.</summary>
    CloseUnderCommit,

    /// <summary>R11, R12′: pages that the snapshot on disk reaches are overwritten without a batch.</summary>
    OverwriteHeldPages,

    /// <summary>R12′: the page chunk that holds the newest batch is recycled when the next batch stands in another one.</summary>
    RecycleNewestBatch,

    /// <summary>R17: the name of the database's directory is not made durable before the data file gets its own.</summary>
    SkipParentSync,

    /// <summary>R22: after a failed journal write commits go on.</summary>
    GoOnAfterFailedWrite,

    /// <summary>R30: deletes are not noted for the replay.</summary>
    ForgetDeletesInRedo,

    /// <summary>R31: a lookup takes the newest version with a ≤ S, whether b has passed or not.</summary>
    LookupWithoutEnd,

    /// <summary>R31: versions that a reader still sees are freed.</summary>
    FreeSeenVersions,

    /// <summary>R31: a version that only the running checkpoint sees is emptied although it is not in its place in the file.</summary>
    EmptyBeforeWritten,

    /// <summary>R33: an image that was deferred once stays in the list when a newer one has taken its place.</summary>
    KeepStaleDeferred,

    /// <summary>R28: recovery leaves the images of the deferred list where they are.</summary>
    SkipDeferredAtRecovery,

    /// <summary>R19: recovery deletes the commit chunks that it has replayed.</summary>
    DeleteReplayedChunks,

    /// <summary>R19: an open writes into the header slot that nothing stands behind N, though something may.</summary>
    ClaimEndAtOpen,

    /// <summary>R20: a page of the data file is not verified at its first touch.</summary>
    SkipFirstTouch,

    /// <summary>R20: a page that was rewritten still counts as verified.</summary>
    KeepVerifiedBit,

    /// <summary>R20: a page counts whatever number it says it has.</summary>
    AcceptMisplacedPage,

    /// <summary>R8: commits and checkpoints go on after a checkpoint that left it unknown what is on the device.</summary>
    GoOnAfterFailedCheckpoint,

    /// <summary>R28: a page chunk is recycled although it holds images that are still deferred, mapped ones among them.</summary>
    ForgetDeferredAtRecycle,

    /// <summary>R10: of a run of pages only the first is asked who reads it and whether the snapshot on disk reaches it.</summary>
    JudgeRunByFirstPage,

    /// <summary>R29: a value not longer than the one it replaces is written over it, in the heap that older versions share.</summary>
    ReuseEntryInPlace,

    /// <summary>R29: a node is rebuilt in the heap that older versions share.</summary>
    RebuildInPlace,

    /// <summary>R32: a large value is written over pages that readers, a running checkpoint or states not yet durable have.</summary>
    PlaceOverVersions,

    /// <summary>R32: a large value is written over one that a transaction has freed which is not durable.</summary>
    PlaceOverUndurable,

    /// <summary>R32: a large value is written over pages that the snapshot on disk reaches.</summary>
    PlaceOverBase,

    /// <summary>R32: a commit record that names a large value is written before the value is synced.</summary>
    SkipPlaceSync,

    /// <summary>R32: replay uses pages that later records name as a large value's.</summary>
    ReplayWithoutReserving,

    /// <summary>R30: fragments that no commit record follows are replayed like those of a committed transaction.</summary>
    KeepUncommittedParts,

    /// <summary>R28: holes are punched in pages that readers see in the file.</summary>
    PunchUnderReaders,

    /// <summary>
    /// R7: holes are punched in what a checkpoint frees before the disk has anything of it: its batch, which recovery finds without the
    /// header slot, or the slot.
    /// </summary>
    PunchBeforeHeader,

    /// <summary>R28: holes are punched in pages that a state after the checkpoint's has taken.</summary>
    PunchTakenPages,

    /// <summary>
    /// R32: holes are punched in a large value that a transaction has freed which is not durable, although the checkpoint's own snapshot
    /// sees it there as well.
    /// </summary>
    PunchUndurable,

    /// <summary>R23: a lazy transaction is visible at once, though one before it waits for the device.</summary>
    PublishLazyPastOthers,

    /// <summary>R31: versions that came and went behind the last written snapshot are freed, though one on its way sees them.</summary>
    ForgetTakenBatch,

    /// <summary>R30: going back to a savepoint leaves the redo notes as they are.</summary>
    KeepUndoneRedo,

    /// <summary>R30: going back to a savepoint whose notes left as a fragment is not noted.</summary>
    ForgetRollbackInRedo,

    /// <summary>R29: going back to a savepoint leaves pages that were changed before it as they are now.</summary>
    KeepChangedPages,

    /// <summary>R32: going back to a savepoint leaves the runs placed since as if they were the transaction's.</summary>
    KeepUndonePlaces,

    /// <summary>R24: an action that throws in a shared transaction is not undone.</summary>
    KeepFailedAction,

    /// <summary>R31: before the first journal write nothing is on its way to the disk, though a checkpoint may register there.</summary>
    ForgetRecoveredSnapshot,

    /// <summary>R7: chunks are recycled up to what is written by now, not up to what the header slot says.</summary>
    RecycleUpToWritten,

    /// <summary>R24: a reader that registers while the environment closes does not look again whether it still may.</summary>
    BeginUnderDispose,

    /// <summary>R14: how long the file is to be is decided by its length before the gate of its length was taken.</summary>
    GrowFromOldLength,

    /// <summary>R32: replay takes the pages of a large value before the puts noted earlier, which may free them, are made.</summary>
    AdoptBeforeNotedPuts,

    /// <summary>R33: recovery looks for one batch behind the newest slot that is left, though there may be two.</summary>
    OneBatchAfterSlot,

    /// <summary>
    /// R7: chunks that a rolled-back transaction filled are recycled when one header slot says that the journal ends before them.
    /// </summary>
    RecycleUnneededAfterOneSlot,

    /// <summary>R7: a header slot is written over the newest one, not over the older one.</summary>
    OverwriteNewestSlot,

    /// <summary>R22: a write that goes on beside its caller and fails is taken for done.</summary>
    IgnoreFlightError,

    /// <summary>R3: no header slot names a commit chunk that must exist.</summary>
    NameNoChunk,

    /// <summary>R3: a commit chunk that another one or a header slot names may be missing.</summary>
    IgnoreLostChunk,

    /// <summary>R3: a commit chunk may be shorter than it was a moment ago.</summary>
    AcceptShortChunk,

    /// <summary>R2: a commit chunk whose header is damaged is passed over, whatever its records say.</summary>
    IgnoreDamagedChunk,

    /// <summary>R33: a batch whose head is whole and whose table is damaged counts as one that was never completed.</summary>
    BadTableIsIncomplete,

    /// <summary>R32: replay does not compare the large values that records name with what is in the data file.</summary>
    SkipRunCheckAfterReplay,

    /// <summary>R1: new chunks get sequences that a header slot knows to hold nothing.</summary>
    ReuseSequences,

    /// <summary>R8: an environment that does not know what is on the device makes a checkpoint when it closes.</summary>
    CloseCleanlyWhenPoisoned,

    /// <summary>R8: a batch is completed although the system may have lost what its images were copied from.</summary>
    SkipSpillConfirm,

    /// <summary>R8: pages are written while a header slot says that the data file is at rest.</summary>
    NeverLeaveRest,

    /// <summary>R8: large values are written while a header slot says that the data file is at rest.</summary>
    PlaceWithoutLeavingRest,

    /// <summary>R32: the ends of values that were placed behind a checkpoint's snapshot are forgotten before its tail is cut.</summary>
    ForgetPlacedEndsEarly,

    /// <summary>
    /// R30: an insertion or deletion is noted after the pages have changed, from the caller's key and value, which may lie in those pages.
    /// </summary>
    NoteAfterChange,
    /// <summary>R33: a page of the data file is believed although it was written for a checkpoint after the base.</summary>
    AcceptLaterPage,

    /// <summary>R33: recovery does not look for the copy of a batch head that is damaged.</summary>
    IgnoreHeadCopy,

    /// <summary>R18: an open believes what the system's cache shows of the journal, also where a write failed before.</summary>
    TrustCachedJournal,

    /// <summary>R18: an open believes what the cache holds on to, although the device has something else.</summary>
    BelievePinnedCache,

    /// <summary>R29: a marker is linked at the head of its chain and then moved to its end, under the eyes of readers.</summary>
    MoveLinkedMarkers,

    /// <summary>R29: undoing a page drops the marker that a checkpoint has set there for a run that stays freed.</summary>
    DropMarkersOfFreedRuns,

    /// <summary>R29: undoing the end of a run that a checkpoint has moved leaves the markers of its later pages.</summary>
    KeepMarkersOfUndoneRuns,

    /// <summary>R31: a marker goes when no reader needs it, although readers to come will.</summary>
    ForgetUnpublishedMarkers,

    /// <summary>R34: a header slot that the device cannot read is an error, though the other one is enough.</summary>
    RefuseUnreadableSlot,

    /// <summary>R34: a block of the journal that the device cannot read is an error, whether it is needed or not.</summary>
    RefuseUnreadableBlock,

    /// <summary>R34: only the bytes of a header slot are written, not the whole block, so that the device never replaces it.</summary>
    WriteSlotInPart,

    /// <summary>R34: a page of the map is touched without a call before it that can fail.</summary>
    SkipPopulate,

    /// <summary>R34: a check reads the data file through its map.</summary>
    CheckThroughMap,
}
