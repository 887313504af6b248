using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>What is moved towards the beginning of the file, and how much of it at once.</summary>
/// <param name="Goal">The first page that shall be free: what is in use there or behind it is moved.</param>
/// <param name="MostPages">Pages of one step; the last thing that it moves may exceed them.</param>
/// <param name="MostLeaves">Leaves that one step reads, whether or not it moves them.</param>
/// <param name="LastPlacedBy">Large values that a later transaction has placed stay: a feed of changes may still read them there.</param>
/// <param name="IsFollowed">Whether readers of other processes are there, which may read large values where the journal says.</param>
internal readonly record struct MoveBounds(
    PageNumber Goal, int MostPages, int MostLeaves, TransactionId LastPlacedBy, Func<bool> IsFollowed)
{
    /// <summary>Whether any of these pages is to be moved.</summary>
    internal bool IsBeyond(PageNumber first, long count = 1) => first + count > Goal;

    /// <summary>Whether the run of a value is to be moved; of one in pieces, the list of them.</summary>
    internal bool IsBeyond(OverflowReference reference, int pageBytes) =>
        IsBeyond(reference.FirstPage, OverflowReference.PagesOf(reference.Run.ValueBytes, pageBytes));
}
