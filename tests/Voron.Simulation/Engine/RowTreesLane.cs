using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// Half of the rows in trees of a shape of their own: what they have is put, replaced and deleted, alone, in ranges and with all that
/// belongs to a key, in every way to commit, beside savepoints, fragments, checkpoints and readers.
/// </summary>
/// <param name="trees">Makes such trees; each subject has its own.</param>
/// <param name="small">The sizes of workloads, with the keys that such trees can have.</param>
internal sealed class RowTreesLane(Func<RowTrees> trees, WorkloadOptions small)
{
    /// <summary>What fills leaves, and empties them again.</summary>
    private static readonly WorkloadLetter[] Letters =
    [
        WorkloadLetter.BigTransaction, WorkloadLetter.Checkpoint, WorkloadLetter.OpenReader, WorkloadLetter.Delete,
        WorkloadLetter.BigTransaction, WorkloadLetter.Delete, WorkloadLetter.Group, WorkloadLetter.Rollback, WorkloadLetter.Checkpoint,
        WorkloadLetter.Delete, WorkloadLetter.CloseReader, WorkloadLetter.Reopen, WorkloadLetter.Update, WorkloadLetter.BigTransaction,
    ];

    /// <summary>Values of which a page has several, and a block two or three; in fixed-size trees, rows of several entries each.</summary>
    private readonly WorkloadOptions _large = small with
    {
        Keys = 120, PageBytes = 1024, RangeOneIn = 2, RenameOneIn = 0, BufferedOneIn = 6, LazyOneIn = 6,
        Without = [WorkloadLetter.PutOverflow],
    };

    private readonly EngineSubject _plain = new(trees: trees());

    private readonly EngineSubject _varied = new(variesCommits: true, trees: trees());

    internal static RowTreesLane Multi { get; } = new(static () => new MultiRows(), EngineLanes.Small);

    internal static RowTreesLane Fixed { get; } = new(
        static () => new FixedRows(), EngineLanes.Small with { LongestKeyBytes = FixedRows.MostKeyBytes });

    /// <summary>So few changes that all actions of a transaction share one.</summary>
    private WorkloadOptions Few => _large with { BigTransactionBytes = 20 << 10 };

    internal CrashStatistics Run(long states) =>
        new CrashSeries(sum => sum.Counted >= states).Run(SimSeed.List(1_000_000).Select(SeedOf));

    /// <summary>Returns what runs one seed.</summary>
    internal Func<CrashStatistics> SeedOf(ulong seed) => seed % 2 == 0
        ? EngineLanes.RunOne(Options(Few), () => Workload.Generate(seed, Few), _varied)
        : EngineLanes.RunOne(Options(_large), () => Workload.Of(seed, EngineLanes.Shuffled(Letters, seed), _large), _plain);

    private static CrashOptions Options(WorkloadOptions sizes) => EngineLanes.Options with { GoOnWorkload = sizes with { Steps = 3 } };
}
