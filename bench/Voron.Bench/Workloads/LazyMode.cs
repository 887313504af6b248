using Voron.Storage;

namespace Voron.Bench.Workloads;

/// <summary>The mode that promises least: lazy, or buffered in a build of the engine that knows no lazy commits.</summary>
internal static class LazyMode
{
    internal static CommitMode Value { get; } =
        Enum.TryParse("Lazy", out CommitMode lazy) ? lazy : CommitMode.Buffered;
}
