using System.Collections.Immutable;
using Voron.Simulation.Crashes;

namespace Voron.Simulation.Fuzz;

/// <summary>What a database holds at one transaction: its trees by name, their rows in key order.</summary>
internal sealed record FuzzRows(ImmutableSortedDictionary<string, ImmutableSortedDictionary<byte[], byte[]>> Trees)
{
    internal static FuzzRows Empty { get; } =
        new(ImmutableSortedDictionary.Create<string, ImmutableSortedDictionary<byte[], byte[]>>(StringComparer.Ordinal));

    internal static ImmutableSortedDictionary<byte[], byte[]> NoRows { get; } =
        ImmutableSortedDictionary.Create<byte[], byte[]>(KeyOrder.Instance);
}
