namespace Voron.Storage;

/// <summary>One level of a tree, as one snapshot sees it.</summary>
/// <param name="Pages">Its nodes, a page each.</param>
/// <param name="Fill">Part of the bytes of these pages that heads, slots and entries take, from 0 to 1.</param>
/// <param name="PagesByFill">How many of the pages are filled to less than 10 %, to 10 to 20 %, and so on: ten numbers.</param>
public sealed record LevelReport(long Pages, double Fill, IReadOnlyList<long> PagesByFill);
