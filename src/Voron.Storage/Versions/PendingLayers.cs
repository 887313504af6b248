using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// The pending tree of a tree: the layer that takes entries, in memory, above layers that were full and are in spill files. Of the entries
/// of a key only that of the upper layer counts. Never changes; another one takes its place.
/// </summary>
/// <param name="Top">The root of the layer that takes entries, a page in memory.</param>
/// <param name="Keys">The keys that the top has or had.</param>
/// <param name="Lower">The other layers, the newest one first.</param>
/// <param name="CountsLeaves">
/// Whether the number of entries that is recorded for the tree is that of its leaves, because puts need not know whether a key is new.
/// </param>
/// <param name="IsBlind">Whether puts look no key up. There is no value then whose pages a put would have to free at once.</param>
internal sealed record PendingLayers(PageNumber Top, PendingKeys Keys, PendingLayer[] Lower, bool CountsLeaves, bool IsBlind)
{
    internal int Count => 1 + Lower.Length;

    /// <summary>The root of a layer, of which the first one is the top.</summary>
    internal PageNumber this[int index] => index == 0 ? Top : Lower[index - 1].Root;
}
