using System.Runtime.CompilerServices;

namespace Voron.Storage.Trees;

/// <summary>What one group of a lookup of many keys found.</summary>
[InlineArray(Count)]
internal struct FoundValues
{
    /// <summary>Keys of a group: as many cache misses as a core can wait for at once, near enough.</summary>
    internal const int Count = 8;

    private FoundValue _first;
}
