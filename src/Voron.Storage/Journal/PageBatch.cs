using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>A complete page batch: its head, and its table divided in images of its own and deferred ones.</summary>
internal sealed record PageBatch(BatchHead Head, IReadOnlyList<BatchEntry> Images, IReadOnlyList<BatchEntry> Deferred)
{
    /// <summary>The block of the head and, behind it, that of its copy. A head in the last block of its chunk has no copy.</summary>
    internal const int HeadsBytes = 2 * FormatConstants.BlockBytes;
}
