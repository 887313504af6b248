using Voron.Simulation.Crashes;
using Voron.Simulation.Outside;

namespace Voron.Simulation.Engine;

/// <summary>
/// The lanes of the engine. Each goes through seeds until it has tried its number of distinct states, so a longer run only adds seeds.
/// </summary>
internal static class EngineLanes
{
    private static readonly WorkloadLetter[][] Words = [.. Workload.AllWords(1), .. Workload.AllWords(2)];

    internal static readonly WorkloadOptions Small = new()
    {
        PageBytes = EngineSubject.PageBytes, BigTransactionBytes = 80 << 10, RangeOneIn = 3, RenameOneIn = 4, AsyncOneIn = 6,
    };

    /// <summary>Many workloads of a few hundred states each, rather than few whole ones.</summary>
    internal static readonly CrashOptions Options = new()
    {
        Test = "Voron.Simulation.Engine.EngineCrashTests", MostOpens = 200, FirstOpenPointOneIn = 24, StateOneIn = 3,
        RandomStates = 12, Singles = 24, SubsetAtoms = 6, PairAtoms = 10,
        KillOneIn = 4, RecoveryCutOneIn = 6, NestedCutOneIn = 8, MostNestedOpens = 60, GoOnOneIn = 60,
    };

    internal static IReadOnlyList<EngineLane> All =>
    [
        .. Plain,
        .. Plain.Select(static lane => lane.WithPendingTrees()),
        .. Plain.Where(static lane => Layered.Contains(lane.Name)).Select(static lane => lane.WithLayers()),
        .. Plain.Where(static lane => lane.Name is "random" or "values" or "fragments" or "commits" or "faults")
            .Select(static lane => lane.WithBlindPuts()),
    ];

    /// <summary>Lanes whose workloads put enough small entries to fill layers.</summary>
    private static string[] Layered =>
        ["random", "readers", "values", "fragments", "buffered", "commits", "faults", "unreadable", "outside"];

    private static IReadOnlyList<EngineLane> Plain { get; } =
    [
        new("random", 0.17, RunRandom),
        new("readers", 0.12, RunReaders),
        new("links", 0.03, RunLinks),
        new("values", 0.1, RunValues),
        new("journal", 0.15, RunJournal),
        new("fragments", 0.04, RunFragments),
        new("buffered", 0.1, RunBuffered),
        new("commits", 0.1, CommitLane.Run),
        new("words", 0.1, RunWords, Most: 10_000) { IsExhaustive = true },
        new("sentences", 0.1, RunSentences),
        new("slots", 0.05, RunSlots),
        new("shrink", 0.03, RunShrink),
        new("runs", 0.03, RunRuns),
        new("profiles", 0.1, RunProfiles),
        new("faults", 0.05, RunFaults, Most: 4_000) { CountsStates = false },
        new("rot", 0.02, RunRot) { CountsStates = false },
        new("stale", 0.03, StaleLane.Run, Most: 1_800) { CountsStates = false },
        new("liars", 0.03, states => LiarLane.Run(states, Small)) { CountsStates = false },
        new("creation", 0.02, RunCreation),
        new("pages", 0.03, PageRotLane.Run) { CountsStates = false },
        new("window", 0.03, states => WindowLane.Run(states, Small)) { CountsStates = false },
        new("holes", 0.01, HoleLane.Run, Most: 400) { CountsStates = false },
        new("tears", 0.05, RunTears),
        new("silent", 0.03, SilentLane.Run, Most: 2_000) { CountsStates = false },
        new("directed", 0.001, static _ => DirectedLane.Run(), Most: DirectedLane.CaseCount) { CountsStates = false },
        new("compact", 0.1, CompactLane.Run, Most: 40_000) { CountsStates = false },
        new("feed", 0.03, FeedLane.Run, Most: 4_000) { CountsStates = false },
        new("archive", 0.01, ArchiveLane.Run, Most: 2_000) { CountsStates = false },
        new("outer", 0.03, OuterLane.Run, Most: 4_000) { CountsStates = false },
        new("unreadable", 0.04, RunUnreadable, Most: 6_000) { CountsStates = false },
        new("outside", 0.1, OutsideLane.Run, Most: 20_000) { CountsStates = false },
        new("multi", 0.1, static states => RowTreesLane.Multi.Run(states)),
        new("fixed", 0.1, static states => RowTreesLane.Fixed.Run(states)),
        new("tables", 0.04, TableLane.Run, Most: 20_000) { CountsStates = false },
        new("outside compact", 0.05, OutsideLane.RunCompacting, Most: 10_000) { CountsStates = false },
    ];

    /// <summary>One seed of the lane liars.</summary>
    internal static CrashStatistics RunLiar(ulong seed) => LiarLane.RunWorkload(Workload.Generate(seed, Small));

    /// <summary>All letters.</summary>
    private static CrashStatistics RunRandom(long states) => RunSeeds(states, Options, seed => Workload.Generate(seed, Small));

    /// <summary>Readers that are held over checkpoints of pages that they read from the file.</summary>
    private static CrashStatistics RunReaders(long states)
    {
        WorkloadLetter[] letters =
        [
            WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.PutSmall, WorkloadLetter.Update,
            WorkloadLetter.Checkpoint, WorkloadLetter.Delete, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader,
            WorkloadLetter.PutOverflow, WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader, WorkloadLetter.PutSmall,
            WorkloadLetter.Checkpoint,
        ];
        WorkloadOptions sizes = Small with { MostSmallBytes = 600, ReaderSlots = 2 };
        WorkloadOptions large = sizes with { Keys = 48, BigTransactionBytes = 14 << 10, ReaderSlots = 1 };
        return RunSeeds(states, Options, seed => seed % 2 == 0
            ? Workload.Of(seed, Shuffled(letters, seed), sizes)
            : Workload.Of(seed, LongReader(seed), large));
    }

    /// <summary>
    /// A reader that holds back most pages of a file while checkpoints change a few of them, and other readers begin and end: the tables
    /// of deferred pages are linked, changed by additions and removals, and listed again.
    /// </summary>
    private static CrashStatistics RunLinks(long states)
    {
        WorkloadLetter[] few =
        [
            WorkloadLetter.Update, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint,
            WorkloadLetter.Delete, WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader, WorkloadLetter.Update, WorkloadLetter.Checkpoint,
            WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint,
        ];
        WorkloadLetter[] letters =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.BigTransaction,
            WorkloadLetter.Checkpoint, .. few, .. few,
        ];
        WorkloadOptions sizes = Small with { Keys = 150, BigTransactionBytes = 300 << 10, Deletes = 6, ReaderSlots = 2, RangeOneIn = 0 };
        return RunSeeds(states, Options, seed => Workload.Of(seed, letters, sizes));
    }

    /// <summary>
    /// Few keys whose long values go straight to the data file, in pieces and whole, and are replaced while readers and checkpoints have
    /// the places of the old ones.
    /// </summary>
    private static CrashStatistics RunValues(long states)
    {
        WorkloadLetter[] letters =
        [
            WorkloadLetter.PutOverflow, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.PutOverflow,
            WorkloadLetter.Checkpoint, WorkloadLetter.PutOverflow, WorkloadLetter.PutOverflow, WorkloadLetter.Rollback,
            WorkloadLetter.Delete, WorkloadLetter.PutOverflow, WorkloadLetter.Reopen, WorkloadLetter.PutOverflow,
            WorkloadLetter.Checkpoint, WorkloadLetter.PutOverflow,
        ];
        WorkloadOptions sizes = Small with { Keys = 9, OverflowPuts = 3, ReaderSlots = 2 };

        // Nodes that the snapshot on disk has become free; replay begins with them all the same.
        WorkloadLetter[] freed =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.Delete, WorkloadLetter.PutSmall,
            WorkloadLetter.PutOverflow, WorkloadLetter.PutSmall, WorkloadLetter.PutOverflow,
        ];
        WorkloadOptions many = Small with { Keys = 60, Deletes = 150, BigTransactionBytes = 60 << 10, OverflowPuts = 2 };

        // Values over those that transactions have freed which asked for less than durability.
        WorkloadLetter[] over = [.. Enumerable.Repeat(WorkloadLetter.PutOverflow, 14)];
        WorkloadOptions few = Small with { Keys = 3, BufferedOneIn = 2, AsyncOneIn = 0 };
        return RunSeeds(states, Options, seed => seed % 6 == 3 ? Workload.Of(seed, over, few) : seed % 3 == 2
            ? Workload.Of(seed, freed, many)
            : Workload.Of(seed, Shuffled(letters, seed), seed % 3 == 0 ? sizes : sizes with { BufferedOneIn = 2 }));
    }

    /// <summary>One reader that stays while checkpoint after checkpoint goes over to new page chunks.</summary>
    private static IEnumerable<WorkloadLetter> LongReader(ulong seed)
    {
        var random = new SimRandom(SimRandom.Mix(seed, 78));
        WorkloadLetter[] changes =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.BigTransaction, WorkloadLetter.PutOverflow, WorkloadLetter.Update,
        ];
        yield return WorkloadLetter.BigTransaction;
        yield return WorkloadLetter.Checkpoint;
        yield return WorkloadLetter.OpenReader;
        for (int i = 0; i < 7; i++)
        {
            yield return changes[random.Below(changes.Length)];
            yield return WorkloadLetter.Checkpoint;
        }

        yield return WorkloadLetter.CloseReader;
        yield return WorkloadLetter.Checkpoint;
    }

    /// <summary>
    /// Files that lose most of their pages, while a reader still finds them there or nobody does, get holes, are cut, and grow again.
    /// </summary>
    private static CrashStatistics RunShrink(long states)
    {
        WorkloadLetter[] letters =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.Delete,
            WorkloadLetter.Checkpoint, WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader,
            WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint, WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint,
        ];
        WorkloadOptions sizes = Small with { Keys = 150, BigTransactionBytes = 300 << 10, Deletes = 500, ReaderSlots = 1 };
        WorkloadLetter[] readers = [WorkloadLetter.OpenReader, WorkloadLetter.CloseReader];
        IEnumerable<WorkloadLetter> alone = letters.Where(letter => !readers.Contains(letter));
        return RunSeeds(states, Options, seed => Workload.Of(seed, seed % 2 == 0 ? alone : letters, sizes));
    }

    /// <summary>
    /// Runs of pages for long values, laid over single pages that others left: some are free for long, some a reader still finds in the
    /// file, some the snapshot on disk reaches. The values go through memory: those that are placed never meet such pages.
    /// </summary>
    private static CrashStatistics RunRuns(long states)
    {
        WorkloadLetter[] round =
        [
            WorkloadLetter.Delete, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader,
            WorkloadLetter.Delete, WorkloadLetter.PutOverflow, WorkloadLetter.Checkpoint, WorkloadLetter.PutOverflow,
            WorkloadLetter.PutOverflow, WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader, WorkloadLetter.Delete,
            WorkloadLetter.PutOverflow, WorkloadLetter.PutOverflow, WorkloadLetter.Checkpoint,
        ];
        WorkloadLetter[] letters = [WorkloadLetter.BigTransaction, .. round, WorkloadLetter.BigTransaction, .. round, .. round];
        WorkloadOptions sizes = Small with
        {
            Keys = 90, BigTransactionBytes = 90 << 10, Deletes = 60, RangeOneIn = 2, ReaderSlots = 1, OverflowPuts = 3,
        };
        return RunSeeds(states, Options, seed => Workload.Of(seed, letters, sizes), new EngineSubject(placedValueBytes: int.MaxValue));
    }

    /// <summary>Transactions that fill chunks, groups that tear, checkpoints that recycle chunks, and reopens.</summary>
    private static CrashStatistics RunJournal(long states)
    {
        WorkloadOptions sizes = Small with
        {
            Steps = 10, MostSmallBytes = 900,
            Without =
            [
                WorkloadLetter.EmptyTransaction, WorkloadLetter.Rollback, WorkloadLetter.OpenReader, WorkloadLetter.CloseReader,
                WorkloadLetter.Delete, WorkloadLetter.Update,
            ],
        };
        return RunSeeds(states, Options, seed => Workload.Generate(seed, sizes));
    }

    /// <summary>Transactions that leave in fragments, committed and rolled back, with and without something behind them.</summary>
    private static CrashStatistics RunFragments(long states)
    {
        WorkloadLetter[] letters =
        [
            WorkloadLetter.PutSmall, WorkloadLetter.BigTransaction, WorkloadLetter.Rollback, WorkloadLetter.PutSmall,
            WorkloadLetter.Rollback, WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.Rollback,
            WorkloadLetter.Reopen, WorkloadLetter.Update, WorkloadLetter.Rollback,
        ];
        WorkloadOptions sizes = Small with { BigTransactionBytes = 150 << 10, RollsBackMuch = true };
        CrashOptions options = Options with { Damage = new SlotDamage(EngineSubject.DataFile, EngineSubject.PageBytes) };
        return RunSeeds(
            states, options, seed => Workload.Of(seed, Shuffled(letters, seed), sizes), new EngineSubject(maxDirtyBytes: 1 << 20));
    }

    /// <summary>Commits that ask for less than durability, over chunk ends and checkpoints.</summary>
    private static CrashStatistics RunBuffered(long states)
    {
        WorkloadOptions sizes = Small with { BufferedOneIn = 2, BigTransactionBytes = 24 << 10 };
        WorkloadOptions unsynced = sizes with
        {
            BufferedOneIn = 1,
            Without = [.. Enum.GetValues<WorkloadLetter>().Except([WorkloadLetter.BigTransaction, WorkloadLetter.PutSmall])],
        };
        return RunSeeds(states, Options, seed => Workload.Generate(seed, seed % 2 == 0 ? sizes : unsynced));
    }

    /// <summary>The first open and the first commits of a database deep below directories that nobody has synced.</summary>
    private static CrashStatistics RunCreation(long states)
    {
        CrashOptions options = Options with
        {
            FirstOpenPointOneIn = 1, StateOneIn = 3, SubsetAtoms = 4, PairAtoms = 0, Singles = 6, RandomStates = 4, GoOnOneIn = 6,
        };
        WorkloadLetter[] letters = [WorkloadLetter.PutSmall, WorkloadLetter.PutOverflow];
        return RunSeeds(states, options, seed => Workload.Of(seed, letters, Small), new EngineSubject("/a/b/db"));
    }

    /// <summary>All words of one letter and of two.</summary>
    private static CrashStatistics RunWords(long states)
    {
        CrashOptions options = Options with { MostOpens = Math.Max(8, states / Words.Length) };
        return new CrashSeries(_ => false).Run(
            from seed in SimSeed.List(1)
            from word in Words
            select RunOne(options, () => Workload.Of(seed, word, Small)));
    }

    /// <summary>Words of three letters, drawn by seed.</summary>
    private static CrashStatistics RunSentences(long states)
    {
        WorkloadLetter[] alphabet = Enum.GetValues<WorkloadLetter>();
        return RunSeeds(states, Options with { MostOpens = 100 }, seed =>
        {
            var random = new SimRandom(SimRandom.Mix(seed, 79));
            return Workload.Of(seed, Enumerable.Range(0, 3).Select(_ => alphabet[random.Below(alphabet.Length)]), Small);
        });
    }

    /// <summary>Systems that promise other things than the strict minimum; what is promised to the user is the same.</summary>
    private static CrashStatistics RunProfiles(long states) => new CrashSeries(sum => sum.Counted >= states).Run(
        from seed in SimSeed.List(1_000_000)
        let profile = seed % 2 == 0 ? SimProfile.Ext4Like : SimProfile.NtfsLike
        select RunOne(Options with { Disk = new SimDiskOptions { Profile = profile } }, () => Workload.Generate(seed, Small)));

    /// <summary>Header slots that a cut destroys while they are written, and slots lost at rest.</summary>
    private static CrashStatistics RunSlots(long states)
    {
        CrashOptions options = Options with
        {
            Damage = new SlotDamage(EngineSubject.DataFile, EngineSubject.PageBytes),
            SubsetAtoms = 3, PairAtoms = 0, RandomStates = 4, Singles = 6, NamesFirst = true,
        };
        var sizes = Small with
        {
            Steps = 8, Without = [WorkloadLetter.BigTransaction, WorkloadLetter.EmptyTransaction, WorkloadLetter.Rollback],
        };
        WorkloadOptions large = Small with { Keys = 48, BigTransactionBytes = 20 << 10 };
        WorkloadLetter[] checkpoints =
        [
            .. Enumerable.Repeat<WorkloadLetter[]>([WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint], 8)
                .SelectMany(letters => letters),
        ];

        // While large values are placed, the older slot is of the checkpoint before.
        WorkloadLetter[] placing = [WorkloadLetter.PutOverflow, .. checkpoints];
        return RunSeeds(states, options, seed => seed % 2 == 0
            ? Workload.Generate(seed, sizes)
            : Workload.Of(seed, seed % 4 == 3 ? placing : checkpoints, large));
    }

    /// <summary>Sectors torn inside: a checksum must find that, also in a sector that held something sound before.</summary>
    private static CrashStatistics RunTears(long states)
    {
        CrashOptions options = Options with
        {
            TornStates = 12, SubsetAtoms = 2, PairAtoms = 0, Singles = 4, RandomStates = 2, StateOneIn = 2,
        };
        WorkloadOptions sizes = Small with { BigTransactionBytes = 40 << 10, BufferedOneIn = 4 };
        return RunSeeds(states, options, seed => Workload.Generate(seed, sizes));
    }

    /// <summary>Disk calls that fail.</summary>
    private static CrashStatistics RunFaults(long states) => FaultLane.Run(states, seed => seed % 2 == 0
        ? Workload.Generate(seed, Small with { BigTransactionBytes = 70 << 10 })
        : Workload.Of(
            seed,
            [
                WorkloadLetter.PutSmall, WorkloadLetter.Group, WorkloadLetter.Checkpoint, WorkloadLetter.Update, WorkloadLetter.OpenReader,
                WorkloadLetter.Group, WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader, WorkloadLetter.PutOverflow,
                WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint,
            ],
            Small));

    /// <summary>Commit records that rot.</summary>
    private static CrashStatistics RunRot(long states) => RotLane.Run(states, Small with
    {
        Steps = 9, BigTransactionBytes = 30 << 10,
        Without =
        [
            WorkloadLetter.EmptyTransaction, WorkloadLetter.Rollback, WorkloadLetter.OpenReader, WorkloadLetter.CloseReader,
            WorkloadLetter.Checkpoint, WorkloadLetter.Reopen,
        ],
    });

    /// <summary>Blocks that cannot be read after a cut; every other workload checkpoints often.</summary>
    private static CrashStatistics RunUnreadable(long states)
    {
        CrashOptions options = Options with { SubsetAtoms = 3, PairAtoms = 0, RandomStates = 4, Singles = 6, GoOnOneIn = 0 };
        WorkloadLetter[] letters =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.PutOverflow, WorkloadLetter.Update,
            WorkloadLetter.Checkpoint, WorkloadLetter.Group, WorkloadLetter.OpenReader, WorkloadLetter.BigTransaction,
            WorkloadLetter.Checkpoint, WorkloadLetter.CloseReader, WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint,
        ];
        return UnreadableLane.Run(states, options, seed => seed % 2 == 0
            ? Workload.Generate(seed, Small)
            : Workload.Of(seed, Shuffled(letters, seed), Small with { Keys = 48, BigTransactionBytes = 20 << 10, ReaderSlots = 1 }));
    }

    internal static CrashStatistics RunSeeds(
        long states, CrashOptions options, Func<ulong, Workload> make, EngineSubject? subject = null) =>
        new CrashSeries(sum => sum.Counted >= states).Run(
            SimSeed.List(1_000_000).Select(seed => RunOne(options, () => make(seed), subject)));

    internal static Func<CrashStatistics> RunOne(CrashOptions options, Func<Workload> make, EngineSubject? subject = null) => () =>
    {
        var runner = new CrashRunner(subject ?? new EngineSubject(), options);
        runner.Run(make());
        return runner.Statistics;
    };

    internal static List<WorkloadLetter> Shuffled(IEnumerable<WorkloadLetter> letters, ulong seed)
    {
        var random = new SimRandom(SimRandom.Mix(seed, 77));
        var result = new List<WorkloadLetter>();
        foreach (WorkloadLetter letter in letters)
        {
            // The order stays, for it is what makes readers meet checkpoints; some letters are left out, some are followed by another put.
            if (!random.OneIn(6))
            {
                result.Add(letter);
            }

            if (random.OneIn(4))
            {
                result.Add(random.OneIn(2) ? WorkloadLetter.PutSmall : WorkloadLetter.Update);
            }
        }

        return result;
    }
}
