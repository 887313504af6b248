using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Raw;
using Voron.Bench.Workloads;

namespace Voron.Bench.Verbs;

/// <summary>
/// What plain .NET reaches for the bytes of the headline, one flush for each 100 items, without any tree; and ours beside it.
/// </summary>
internal static class DotnetVerb
{
    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
        [new Group("dotnet", "100 items a flush", static run => Measure(run))];

    private static List<Row> Measure(BenchRun run)
    {
        int flushes = run.Scaled(3_000, 20);
        PlainFiles files = new(run.Workspace, flushes);
        List<Contender> contenders =
        [
            new("FileStream", ".NET", "sync", "Write and Flush(true), the file grows", () => files.Stream(FileOptions.None)),
            new("FileStream, WriteThrough", ".NET", "sync", "FileOptions.WriteThrough, the file grows",
                () => files.Stream(FileOptions.WriteThrough)),
            new("RandomAccess, growing", ".NET", "sync", "Write and FlushToDisk, the file grows", () => files.Positional(written: false)),
            new("RandomAccess, written before", ".NET", "sync", "Write and FlushToDisk, onto existing bytes",
                () => files.Positional(written: true)),
            new("MemoryMappedFile", ".NET", "sync", "store and Flush of a view of 1 MiB", files.Mapped),
            new("fill rnd", OurStore.Name, "sync", StoreKinds.Ours.Durability,
                () => WorkloadRun.Once(run, StoreKinds.Ours, new Workload("fill rnd", WorkStep.Fill, flushes, 100))),
        ];
        return new Contest(run, ProbeSize.Headline).Run(contenders, run.Arguments.Rounds);
    }
}
