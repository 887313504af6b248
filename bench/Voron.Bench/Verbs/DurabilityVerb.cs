using Voron.Bench.Io;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// How often a commit waits for the device: of each store with its default settings, and with those that it is compared with. Counted from
/// system calls, so nothing has to be believed.
/// </summary>
internal static class DurabilityVerb
{
    /// <summary>The part of a whole run.</summary>
    internal const string Section = "durability";

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group(Section, "waits of a commit", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        StoreKind[] kinds = [.. StoreKinds.All.Where(kind => run.Arguments.WantsEngine(kind.Name))];
        return
        [
            .. kinds.DistinctBy(static kind => kind.Origin).Select(kind => CommitWaits.Measure(run, kind, isAsItComes: true)),
            .. kinds.Select(kind => CommitWaits.Measure(run, kind, isAsItComes: false)),
        ];
    }
}
