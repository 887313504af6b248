namespace Voron.Simulation.Ranges;

/// <summary>The rules of ranges, each as the way to break it.</summary>
internal enum RangeRule
{
    /// <summary>No rule is broken.</summary>
    None,

    /// <summary>A branch names leaves before they are synced.</summary>
    NameBeforeSync,

    /// <summary>The sync of new leaves fails, and they are named nevertheless.</summary>
    IgnoreFailedSync,

    /// <summary>The place of leaves is used again although the checkpoint on disk names them.</summary>
    ReuseBeforeDurable,

    /// <summary>The place of leaves is used again although a reader's snapshot names them.</summary>
    ReuseUnderReader,

    /// <summary>The place of leaves is used again although the running checkpoint's snapshot names them.</summary>
    ReuseUnderCheckpoint,

    /// <summary>The place of leaves is used again although the merge that replaced them is not durable.</summary>
    ReuseInDoubt,

    /// <summary>A checkpoint punches a hole where a merge is writing, because no branch names that place yet.</summary>
    PunchReserved,

    /// <summary>The image set leaves out the entries of a range that is being merged.</summary>
    LeaveEntriesOut,

    /// <summary>The image set leaves out deletes.</summary>
    LeaveDeletesOut,

    /// <summary>The image set has the entries that are pending in the newest version, not those pending at N.</summary>
    TakeNewestVersion,

    /// <summary>The image set has the newest entry of a key, also one after N.</summary>
    TakeLaterEntries,

    /// <summary>The image set has entries that the leaves of N contain, kept in memory for an older reader.</summary>
    TakeMergedEntries,

    /// <summary>The run is written over the one of the checkpoint before.</summary>
    ReplaceRun,

    /// <summary>The head of the image set is written before the run is on the device.</summary>
    HeadBeforeRun,

    /// <summary>An image set is recycled once its pages are in their places, although it carries entries.</summary>
    RecyclePlacedSet,

    /// <summary>Recovery drops the run once it is loaded.</summary>
    DropLoadedRun,

    /// <summary>Recovery adds the entries of the run to the count.</summary>
    CountLoaded,

    /// <summary>Recovery loads the run after replaying the journal.</summary>
    LoadAfterReplay,

    /// <summary>A snapshot reads the leaves and the entries of a newer version of the branch.</summary>
    ReadNewestVersion,

    /// <summary>Merged entries leave memory when the merge is published, also those that a reader needs.</summary>
    FreeUnderReader,

    /// <summary>Merged entries leave memory although the running checkpoint needs them.</summary>
    FreeUnderCheckpoint,

    /// <summary>Merged entries leave memory before the transaction that publishes the merge is durable.</summary>
    FreeInDoubt,

    /// <summary>A merge takes entries of the open transaction.</summary>
    MergeOpenTransaction,

    /// <summary>A published merge removes entries that came while it ran.</summary>
    RemoveLaterEntries,

    /// <summary>A merge is published although a change past the entries has meanwhile changed the leaves that it read.</summary>
    PublishOverDirect,

    /// <summary>A change past the entries leaves the pending entry of its key, which hides it.</summary>
    KeepEntryOverDirect,

    /// <summary>A roll-back leaves entries.</summary>
    KeepUndoneEntries,

    /// <summary>The record of a merge names the new leaves, and replay uses them.</summary>
    ReplayMerges,

    /// <summary>The journal as carrier: records up to N are recycled, as they are without ranges.</summary>
    RecycleToSnapshot,

    /// <summary>The journal as carrier: its position is that of the newest versions, not of those at N.</summary>
    PositionOfNewest,

    /// <summary>The journal as carrier: records are recycled before the image set that needs fewer of them is complete.</summary>
    RecycleBeforeComplete,

    /// <summary>The journal as carrier: recovery takes puts and deletes from it, and not what has removed their entries.</summary>
    ScanPutsOnly,

    /// <summary>The journal as carrier: recovery replays from the position, and counts again.</summary>
    CountAgain,
}
