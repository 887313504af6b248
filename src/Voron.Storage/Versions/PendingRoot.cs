using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>One pending tree, as the snapshots of some transactions see it.</summary>
/// <param name="Root">The root of the tree that its entries override.</param>
/// <param name="Layers">Its layers.</param>
/// <param name="Began">The transaction that began it.</param>
/// <param name="CreatedBy">The first transaction that sees these layers.</param>
/// <param name="DroppedBy">The first one that does not.</param>
internal readonly record struct PendingRoot(
    PageNumber Root, PendingLayers Layers, TransactionId Began, TransactionId CreatedBy, TransactionId DroppedBy)
{
    /// <summary>Whether it is the present state of the pending tree of a tree.</summary>
    internal bool IsLast(PageNumber root) => Root == root && DroppedBy == TransactionId.AfterAll;
}
