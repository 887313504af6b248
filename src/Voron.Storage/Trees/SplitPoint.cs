namespace Voron.Storage.Trees;

/// <summary>
/// Where a full node is divided: its entries from <see cref="From"/> on move to a new page on the right, and where the new entry belongs
/// then.
/// </summary>
internal readonly record struct SplitPoint(int From, bool NewGoesRight);
