using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>One pending tree.</summary>
/// <param name="Root">The root of the tree that its entries override.</param>
/// <param name="Pending">Its own root, a page in memory.</param>
/// <param name="CreatedBy">The first transaction that sees it.</param>
/// <param name="DroppedBy">The first one that does not.</param>
internal readonly record struct PendingRoot(PageNumber Root, PageNumber Pending, TransactionId CreatedBy, TransactionId DroppedBy);
