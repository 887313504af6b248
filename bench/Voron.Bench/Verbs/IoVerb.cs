using Voron.Bench.Io;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// How do they do this: what 100 commits of 100 puts ask of the system, engine by engine, from a trace of their system calls.
/// </summary>
internal static class IoVerb
{
    private const string Section = "io";

    /// <summary>Engines that the old post had and that run only on another system.</summary>
    private static readonly (string Engine, string Because)[] Elsewhere =
    [
        ("esent", "not run: it is a part of Windows and of nothing else"),
        ("sql server", "not run: a server process of its own; its commits cannot be traced from the program that asks for them"),
        ("sql ce", "not run: it exists for Windows only, and is no longer maintained"),
    ];

    private static readonly (string Name, KeyOrder Order, int ValueBytes)[] Kinds =
    [
        ("random GUID, 100 B", KeyOrder.Random, 100),
        ("random GUID, 32 B", KeyOrder.Random, 32),
        ("sequential GUID, 100 B", KeyOrder.SequentialId, 100),
        ("sequential GUID, 32 B", KeyOrder.SequentialId, 32),
    ];

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
        Kinds.Select(static kind => new Group(Section, kind.Name, run => Measure(run, kind.Name, kind.Order, kind.ValueBytes)));

    private static List<Row> Measure(BenchRun run, string name, KeyOrder order, int valueBytes)
    {
        IEnumerable<StoreKind> kinds = StoreKinds.All.Where(kind => run.Arguments.WantsEngine(kind.Name));
        return
        [
            .. kinds.Select(kind => IoRun.Measure(run, kind, name, order, valueBytes)),
            .. Elsewhere.Select(other => Row.Skipped(name, other.Engine, "sync", other.Because)),
        ];
    }
}
