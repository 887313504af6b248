using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>A layer of a pending tree that takes no more entries.</summary>
/// <param name="Root">Its root, a page without a place in the data file.</param>
/// <param name="Keys">Keys that it has or had.</param>
internal sealed record PendingLayer(PageNumber Root, KeyFilter Keys);
