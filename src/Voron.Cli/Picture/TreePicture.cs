using System.Globalization;
using System.Text;
using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>Each tree with a row for each level: a bar as long as the level has pages, and how full they are in ten columns.</summary>
internal static class TreePicture
{
    private const int MostTrees = 50;
    private const int RowUnits = 34;
    private const int BarLeft = 90;
    private const int BarUnits = 390;
    private const int FillLeft = 640;
    private const int ColumnUnits = 16;
    private const int ColumnHeight = 26;

    internal static string Draw(SpaceFacts facts)
    {
        StringBuilder text = new();
        text.AppendLine("<p>The root is level 0. The columns on the right count the pages that are filled to less than 10 %, to 10 to "
            + "20 %, and so on.</p>");
        SpaceReport space = facts.Space;
        int[] largest = [.. Enumerable.Range(0, space.Trees.Count).OrderByDescending(tree => space.Trees[tree].Pages)];
        foreach (int tree in largest.Take(MostTrees))
        {
            DrawTree(text, space.Trees[tree], new PageOwner(tree, PageUse.Leaf).Color);
        }

        if (largest.Length > MostTrees)
        {
            text.AppendLine(CultureInfo.InvariantCulture,
                $"<p class=\"note\">{PicturePage.Number(largest.Length - MostTrees)} smaller trees are only in the table below.</p>");
        }

        return text.ToString();
    }

    private static void DrawTree(StringBuilder text, TreeSpace tree, string color)
    {
        text.AppendLine(CultureInfo.InvariantCulture, $"<h3>{PicturePage.NameOf(tree)}</h3>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<p class=\"note\">{ByteCount.Count(tree.Entries, "entry", "entries")}, "
            + $"{ByteCount.Count(tree.OverflowPages, "page")} of long values</p>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<svg viewBox=\"0 0 840 {tree.Levels.Count * RowUnits}\" role=\"img\" "
            + $"aria-label=\"Levels of {PicturePage.NameOf(tree)}\">");
        long most = tree.Levels.Max(static level => level.Pages);
        for (int i = 0; i < tree.Levels.Count; i++)
        {
            DrawLevel(text, tree.Levels[i], i, most, color);
        }

        text.AppendLine("</svg>");
    }

    private static void DrawLevel(StringBuilder text, LevelReport level, int number, long most, string color)
    {
        int top = number * RowUnits;
        double width = Math.Max(2, BarUnits * level.Pages / (double)most);
        text.AppendLine(CultureInfo.InvariantCulture, $"<text x=\"0\" y=\"{top + 20}\">level {number}</text>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<rect x=\"{BarLeft}\" y=\"{top + 4}\" width=\"{PicturePage.Units(width)}\" "
            + $"height=\"22\" fill=\"{color}\"/>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<text x=\"{PicturePage.Units(BarLeft + width + 6)}\" y=\"{top + 20}\">"
            + $"{ByteCount.Count(level.Pages, "page")}, {PicturePage.Percent(level.Fill)} full</text>");
        long highest = Math.Max(1, level.PagesByFill.Max());
        for (int i = 0; i < level.PagesByFill.Count; i++)
        {
            double height = ColumnHeight * level.PagesByFill[i] / (double)highest;
            text.AppendLine(CultureInfo.InvariantCulture, $"<rect x=\"{FillLeft + (i * ColumnUnits)}\" "
                + $"y=\"{PicturePage.Units(top + 30 - height)}\" width=\"{ColumnUnits - 2}\" height=\"{PicturePage.Units(height)}\" "
                + $"fill=\"{color}\"><title>{i * 10} to {(i + 1) * 10} %: {ByteCount.Count(level.PagesByFill[i], "page")}</title></rect>");
        }

        text.AppendLine(CultureInfo.InvariantCulture, $"<line x1=\"{FillLeft}\" y1=\"{top + 30.5:0.#}\" "
            + $"x2=\"{FillLeft + (10 * ColumnUnits)}\" y2=\"{top + 30.5:0.#}\" stroke=\"#b0bec5\"/>");
    }
}
