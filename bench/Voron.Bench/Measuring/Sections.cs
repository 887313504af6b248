using Voron.Bench.Verbs;

namespace Voron.Bench.Measuring;

/// <summary>What a whole run is made of.</summary>
internal static class Sections
{
    internal static IEnumerable<Group> All(BenchRun run) =>
    [
        new Group("headline", "limit and fills", HeadlineVerb.Measure),
        .. PeersVerb.Groups(run),
        .. MatrixVerb.Groups(run),
        .. RawVerb.Groups(run),
        .. CommitsVerb.Groups(run),
        .. ReadersVerb.Groups(run),
        .. IoVerb.Groups(run),
        .. DurabilityVerb.Groups(run),
        .. DotnetVerb.Groups(run),
        .. LatencyVerb.Groups(run),
        .. WindowsSyncVerb.Groups(run),
        .. ServerVerb.Groups(run),
    ];
}
