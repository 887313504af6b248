using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// Half of the rows in multi-value trees: pairs that are added and deleted, keys that are deleted with all their values, in every way to
/// commit, beside savepoints, fragments, checkpoints and readers.
/// </summary>
internal static class MultiLane
{
    /// <summary>What fills leaves, and empties them again.</summary>
    private static readonly WorkloadLetter[] Letters =
    [
        WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.Delete,
        WorkloadLetter.BigTransaction, WorkloadLetter.Delete, WorkloadLetter.Group, WorkloadLetter.Rollback, WorkloadLetter.Checkpoint,
        WorkloadLetter.Delete, WorkloadLetter.CloseReader, WorkloadLetter.Reopen, WorkloadLetter.Update, WorkloadLetter.BigTransaction,
    ];

    /// <summary>Values of which a page has several, and a block two or three.</summary>
    private static readonly WorkloadOptions Large = EngineLanes.Small with
    {
        Keys = 120, PageBytes = 1024, RangeOneIn = 2, RenameOneIn = 0, BufferedOneIn = 6, LazyOneIn = 6,
        Without = [WorkloadLetter.PutOverflow],
    };

    /// <summary>So few changes that all actions of a transaction share one.</summary>
    private static readonly WorkloadOptions Few = Large with { BigTransactionBytes = 20 << 10 };

    private static readonly EngineSubject Plain = new(trees: new MultiRows());

    private static readonly EngineSubject Varied = new(variesCommits: true, trees: new MultiRows());

    internal static CrashStatistics Run(long states) =>
        new CrashSeries(sum => sum.Counted >= states).Run(SimSeed.List(1_000_000).Select(SeedOf));

    /// <summary>Returns what runs one seed.</summary>
    internal static Func<CrashStatistics> SeedOf(ulong seed) => seed % 2 == 0
        ? EngineLanes.RunOne(Options(Few), () => Workload.Generate(seed, Few), Varied)
        : EngineLanes.RunOne(Options(Large), () => Workload.Of(seed, EngineLanes.Shuffled(Letters, seed), Large), Plain);

    private static CrashOptions Options(WorkloadOptions sizes) => EngineLanes.Options with { GoOnWorkload = sizes with { Steps = 3 } };
}
