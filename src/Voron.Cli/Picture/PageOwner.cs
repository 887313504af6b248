using System.Globalization;
using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>What has a page on the map: a tree by its place in the report, or a use without a tree.</summary>
internal readonly record struct PageOwner(int Tree, PageUse Use)
{
    internal static PageOwner Of(PageRun run) => new(run.Tree, run.Tree < 0 ? run.Use : PageUse.Leaf);

    /// <summary>
    /// Colours of neighbouring trees are more than a third of the circle apart; others are greys, and red for what is held.
    /// </summary>
    internal string Color => this switch
    {
        { Tree: >= 0 } => string.Create(
            CultureInfo.InvariantCulture, $"hsl({Tree * 137 % 360} {(Tree % 2 == 0 ? 65 : 45)}% {45 + (Tree % 3 * 9)}%)"),
        { Use: PageUse.Free } => "#eceff1",
        { Use: PageUse.Held } => "#ffb4a8",
        { Use: PageUse.Catalog } => "#546e7a",
        _ => "#263238",
    };
}
