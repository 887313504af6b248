namespace Voron.Simulation.Ranges;

/// <summary>Bounds of a search, and the broken rules that must end in a violation within them.</summary>
internal sealed record RangeScene(string Name, RangeBounds Bounds, params (RangeRule Rule, string Violation)[] Shows)
{
    /// <summary>Searched in every test run. Each rule is broken in one of them.</summary>
    internal static IReadOnlyList<RangeScene> All { get; } =
    [
        new(
            "cuts",
            new RangeBounds { Checkpoints = 1 },
            (RangeRule.NameBeforeSync, "the base, 2: range 0 reads torn or foreign leaves"),
            (RangeRule.ReuseBeforeDurable, "the base, 0: range 0 reads torn or foreign leaves"),
            (RangeRule.PunchReserved, "2: range 0 reads torn or foreign leaves"),
            (RangeRule.LeaveEntriesOut, "the base, 1: range 0 reads the first value instead of the value of transaction 1"),
            (RangeRule.LeaveDeletesOut, "the base, 1: range 0 reads the first value instead of nothing"),
            (RangeRule.TakeNewestVersion, "the base, 1: range 0 reads the first value instead of the value of transaction 1"),
            (RangeRule.TakeLaterEntries, "the base, 1: range 0 reads the value of transaction 2 instead of the value of transaction 1"),
            (RangeRule.HeadBeforeRun, "the base, 1: range 0 reads torn or foreign leaves"),
            (RangeRule.RecyclePlacedSet, "the base, 1: range 0 reads the first value instead of the value of transaction 1"),
            (RangeRule.CountLoaded, "the base, 1: the count is 2 instead of 1"),
            (RangeRule.LoadAfterReplay, "2: range 0 reads the value of transaction 1 instead of the value of transaction 2"),
            (RangeRule.FreeUnderCheckpoint, "the checkpoint, 1: range 0 reads the first value"),
            (RangeRule.FreeInDoubt, "a committed snapshot, 1: range 0 reads the first value"),
            (RangeRule.RemoveLaterEntries, "3: range 0 reads the value of transaction 1 instead of the value of transaction 2")),
        new(
            "readers",
            new RangeBounds { Checkpoints = 1, Cuts = 0, Readers = 1 },
            (RangeRule.ReuseUnderReader, "the reader, 0: range 0 reads torn or foreign leaves"),
            (RangeRule.ReadNewestVersion, "0: range 0 reads the value of transaction 1 instead of the first value"),
            (RangeRule.FreeUnderReader, "the reader, 1: range 0 reads the first value instead of the value of transaction 1")),
        new(
            "readers and cuts",
            new RangeBounds { Transactions = 3, Merges = 1, Checkpoints = 1, Readers = 1 },
            (RangeRule.TakeMergedEntries, "the base, 3: range 0 reads the value of transaction 1 instead of the value of transaction 2")),
        new(
            "faults",
            new RangeBounds { Transactions = 3, Merges = 1, Checkpoints = 1, Faults = 1 },
            (RangeRule.IgnoreFailedSync, "2: range 0 reads torn or foreign leaves")),
        new(
            "roll-backs",
            new RangeBounds { Transactions = 3, Merges = 1, Checkpoints = 1, RollBacks = 1 },
            (RangeRule.MergeOpenTransaction, "1: range 0 reads the value of transaction 1 instead of the first value"),
            (RangeRule.KeepUndoneEntries, "1: range 0 reads the value of transaction 1 instead of the first value")),
        new(
            "two cuts",
            new RangeBounds { Transactions = 3, Merges = 1, Cuts = 2 },
            (RangeRule.ReplaceRun, "the base, 1: range 0 reads the first value instead of the value of transaction 1"),
            (RangeRule.DropLoadedRun, "the base, 1: range 0 reads the first value instead of the value of transaction 1")),
        new(
            "three merges",
            new RangeBounds { Transactions = 5, Merges = 3, Checkpoints = 0 },
            (RangeRule.ReuseInDoubt, "3: range 0 reads torn or foreign leaves"),
            (RangeRule.ReplayMerges, "the state after replay, 5: the count is 1 instead of 2")),
        new(
            "three merges and a checkpoint",
            new RangeBounds { Transactions = 5, Merges = 3, Checkpoints = 1, Cuts = 0 },
            (RangeRule.ReuseUnderCheckpoint, "the checkpoint, 3: range 0 reads torn or foreign leaves")),
        new(
            "changes past entries",
            new RangeBounds { Transactions = 3, Merges = 1, Checkpoints = 1, Directs = 1 },
            (RangeRule.PublishOverDirect, "3: range 0 reads the value of transaction 1 instead of the value of transaction 2"),
            (RangeRule.KeepEntryOverDirect, "2: range 0 reads the value of transaction 1 instead of the value of transaction 2")),
        new(
            "journal",
            new RangeBounds { Carrier = RangeCarrier.Journal, Merges = 1 },
            (RangeRule.RecycleToSnapshot, "record 1, which may hold a pending entry, is gone"),
            (RangeRule.PositionOfNewest, "the base, 1: range 0 reads the first value instead of the value of transaction 1"),
            (RangeRule.RecycleBeforeComplete, "record 1 is gone"),
            (RangeRule.CountAgain, "the base, 1: the count is -1 instead of 0")),
        new(
            "journal and changes past entries",
            new RangeBounds { Carrier = RangeCarrier.Journal, Merges = 1, Checkpoints = 1, Directs = 1 },
            (RangeRule.ScanPutsOnly, "the base, 4: range 1 reads the value of transaction 2 instead of the value of transaction 3")),
    ];

    /// <summary>Searched in addition when there is time.</summary>
    internal static IReadOnlyList<RangeScene> Long { get; } =
    [
        new("long: two checkpoints", new RangeBounds()),
        new("long: two cuts", new RangeBounds { Checkpoints = 1, Cuts = 2 }),
        new("long: readers and cuts", new RangeBounds { Checkpoints = 1, Readers = 1 }),
        new("long: three merges", new RangeBounds { Transactions = 5, Merges = 3, Checkpoints = 1 }),
        new(
            "long: everything",
            new RangeBounds { Transactions = 3, Merges = 1, Checkpoints = 1, Readers = 1, Faults = 1, RollBacks = 1, Directs = 1 }),
        new("long: journal", new RangeBounds { Carrier = RangeCarrier.Journal, Directs = 1 }),
    ];
}
