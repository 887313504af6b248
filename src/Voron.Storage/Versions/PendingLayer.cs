using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>A layer of a pending tree that takes no more entries.</summary>
/// <param name="Root">Its root, a page without a place in the data file.</param>
/// <param name="Filters">Of the keys that it has or had, and of those of other layers.</param>
/// <param name="Number">Its number there.</param>
internal sealed record PendingLayer(PageNumber Root, LayerFilters Filters, int Number)
{
    /// <summary>Whether it may have a key.</summary>
    internal bool MayHave(ulong hash) => (Filters.Find(hash) & (1U << Number)) != 0;
}
