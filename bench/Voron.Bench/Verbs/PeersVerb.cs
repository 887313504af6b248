using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Workloads;

namespace Voron.Bench.Verbs;

/// <summary>Ours beside its peers: each workload is a group, in which all engines take turns.</summary>
internal static class PeersVerb
{
    private const string Section = "peers";

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
    [
        .. WorkloadTable.Scaled(run.Scaled).Select(static workload => new Group(Section, workload.Name, run => Measure(run, workload))),
        new Group(Section, "reads", ReadGroup.Measure),
    ];

    private static List<Row> Measure(BenchRun run, Workload workload)
    {
        IEnumerable<StoreKind> kinds = workload.HasAsync ? [StoreKinds.Ours, StoreKinds.OursAsync, .. StoreKinds.Peers] : StoreKinds.All;
        List<Contender> contenders =
        [
            .. kinds
                .Where(kind => run.Arguments.WantsEngine(kind.Name) && (workload.Threads == 1 || kind.SharesCommits))
                .Select(kind => ContenderOf(run, kind, workload)),
        ];
        MakeWarm(run, contenders, workload);
        return new Contest(run, SizeOf(workload)).Run(contenders, run.Arguments.WantedRounds ?? 3);
    }

    /// <summary>
    /// A store whose commits return before they are on the device is refused; the asynchronous ones of ours are meant to return earlier.
    /// </summary>
    private static Contender ContenderOf(BenchRun run, StoreKind kind, Workload workload)
    {
        bool isTraced = kind != StoreKinds.OursAsync;
        string durability = isTraced ? run.DurabilityOf(kind) : kind.Durability;
        return new Contender(workload.Name, kind.Name, "sync", durability, () => WorkloadRun.Once(run, kind, workload))
        {
            Missing = isTraced ? run.RefusalOf(kind) : null,
            Version = kind.Version,
        };
    }

    /// <summary>Ours alone; the peers' libraries need none.</summary>
    private static void MakeWarm(BenchRun run, List<Contender> contenders, Workload workload)
    {
        const int WarmUpTransactions = 4_000;
        if (contenders.Exists(static contender => contender.Engine == OurStore.Name))
        {
            Workload some = workload with { Transactions = Math.Min(WarmUpTransactions, workload.Transactions) };
            WarmUp.Run(run.Arguments, () => WorkloadRun.Once(run, StoreKinds.Ours, some));
        }
    }

    private static ProbeSize SizeOf(Workload workload) => (workload.Step, workload.PerTransaction, workload.ValueBytes) switch
    {
        (WorkStep.Fill, 100, DataSet.ValueBytes) => ProbeSize.Headline,
        (WorkStep.Fill, 1, DataSet.ValueBytes) => ProbeSize.OnePut,
        _ => ProbeSize.Short,
    };
}
