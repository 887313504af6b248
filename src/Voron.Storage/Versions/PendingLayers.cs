using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// The pending tree of a tree: the layer that takes entries, in memory, above layers that were full and are in spill files. Of the entries
/// of a key only that of the upper layer counts. Never changes; another one takes its place.
/// </summary>
/// <param name="Top">The root of the layer that takes entries, a page in memory.</param>
/// <param name="Lower">The other layers, the newest one first.</param>
internal sealed record PendingLayers(PageNumber Top, PendingLayer[] Lower)
{
    internal PendingLayers(PageNumber top)
        : this(top, [])
    {
    }

    internal int Count => 1 + Lower.Length;

    /// <summary>The root of a layer, of which the first one is the top.</summary>
    internal PageNumber this[int index] => index == 0 ? Top : Lower[index - 1].Root;
}
