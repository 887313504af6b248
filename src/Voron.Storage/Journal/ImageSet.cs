using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>A complete image set: its head, and its table divided into its own images and deferred ones.</summary>
internal sealed record ImageSet(ImageSetHead Head, IReadOnlyList<ImageEntry> Images, IReadOnlyList<ImageEntry> Deferred)
{
    /// <summary>Length of the head's block and of its copy's, which follows. A head in the last block of its chunk has no copy.</summary>
    internal const int HeadsBytes = 2 * FormatConstants.BlockBytes;
}
