namespace Voron.Storage.Trees;

/// <summary>
/// The point at which a full node is divided: its entries from <see cref="From"/> on move to a new page on the right;
/// <see cref="NewGoesRight"/> says whether the new entry belongs there too.
/// </summary>
internal readonly record struct SplitPoint(int From, bool NewGoesRight);
