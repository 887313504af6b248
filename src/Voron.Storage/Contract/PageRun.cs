namespace Voron.Storage;

/// <summary>Consecutive pages with one use.</summary>
/// <param name="FirstPage">Number of the first one.</param>
/// <param name="Pages">How many they are.</param>
/// <param name="Use">What they are used for.</param>
/// <param name="Tree">The tree that they belong to, as its place in <see cref="SpaceReport.Trees"/>; −1 for none.</param>
public readonly record struct PageRun(long FirstPage, long Pages, PageUse Use, int Tree);
