using FluentAssertions;

namespace Voron.Storage.Tests.Doors;

/// <summary>Counts of trees against those of models.</summary>
internal static class TreeCounts
{
    /// <summary>A write-optimized tree counts exactly once everything is merged.</summary>
    internal static void Compare(ReadTree tree, int entries)
    {
        if (tree.IsCountExact)
        {
            tree.Count.Should().Be(entries);
        }
    }
}
