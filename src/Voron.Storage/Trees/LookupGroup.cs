using System.Runtime.CompilerServices;

namespace Voron.Storage.Trees;

/// <summary>The results of one group of a lookup of several keys.</summary>
[InlineArray(Count)]
internal struct LookupGroup
{
    /// <summary>Keys in a group: about as many as a core can have cache misses outstanding.</summary>
    internal const int Count = 8;

    private FoundValue _first;
}
