using System.Globalization;
using System.Text;
using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>The map of the data file: cells from left to right and top to bottom, in the colour of what has most of their pages.</summary>
internal static class SpaceMapPicture
{
    private const int Columns = 96;
    private const int CellUnits = 10;
    private const int GapUnits = 1;

    /// <summary>Trees with a line in the legend; more colours cannot be told apart.</summary>
    private const int MostInLegend = 24;

    internal static string Draw(SpaceFacts facts)
    {
        SpaceCells cells = facts.Cells;
        int rows = (cells.Count + Columns - 1) / Columns;
        StringBuilder text = new();
        text.AppendLine(CultureInfo.InvariantCulture, $"<p>{PicturePage.Number(facts.Space.Pages)} pages, "
            + $"{PicturePage.Number(cells.PagesPerCell)} in each cell. A cell has the colour of what takes most of it.</p>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<svg viewBox=\"0 0 {Columns * CellUnits} {Math.Max(1, rows) * CellUnits}\" "
            + $"role=\"img\" aria-label=\"Map of the data file\">");
        for (int cell = 0; cell < cells.Count; cell++)
        {
            Cell(text, facts, cell);
        }

        text.AppendLine("</svg>");
        Legend(text, facts);
        return text.ToString();
    }

    private static void Cell(StringBuilder text, SpaceFacts facts, int cell)
    {
        string color = facts.Cells.UsesOf(cell).Select(static use => use.Key.Color).FirstOrDefault("none");
        IEnumerable<string> uses = facts.Cells.UsesOf(cell).Select(use => $"{Name(use.Key, facts.Space)}: {PicturePage.Number(use.Value)}");
        text.Append(CultureInfo.InvariantCulture, $"<rect x=\"{cell % Columns * CellUnits}\" y=\"{cell / Columns * CellUnits}\" ")
            .Append(CultureInfo.InvariantCulture, $"width=\"{CellUnits - GapUnits}\" height=\"{CellUnits - GapUnits}\" fill=\"{color}\">")
            .Append(CultureInfo.InvariantCulture, $"<title>from page {PicturePage.Number(cell * facts.Cells.PagesPerCell)}: ")
            .Append(string.Join(", ", uses))
            .AppendLine("</title></rect>");
    }

    private static void Legend(StringBuilder text, SpaceFacts facts)
    {
        SpaceReport space = facts.Space;
        text.Append("<p class=\"legend\">");
        int[] largest = [.. Enumerable.Range(0, space.Trees.Count).OrderByDescending(tree => space.Trees[tree].Pages)];
        foreach (int tree in largest.Take(MostInLegend))
        {
            Entry(text, new PageOwner(tree, PageUse.Leaf), facts.Space, space.Trees[tree].Pages);
        }

        Entry(text, new PageOwner(-1, PageUse.Free), space, space.FreePages);
        Entry(text, new PageOwner(-1, PageUse.Held), space, space.HeldPages);
        Entry(text, new PageOwner(-1, PageUse.Catalog), space, null);
        Entry(text, new PageOwner(-1, PageUse.SpaceMap), space, null);
        text.AppendLine("</p>");
        if (largest.Length > MostInLegend)
        {
            text.AppendLine(CultureInfo.InvariantCulture,
                $"<p class=\"note\">And {PicturePage.Number(largest.Length - MostInLegend)} smaller trees.</p>");
        }
    }

    private static void Entry(StringBuilder text, PageOwner owner, SpaceReport space, long? pages)
    {
        string count = pages is { } number ? $" {PicturePage.Number(number)}" : string.Empty;
        text.Append(CultureInfo.InvariantCulture, $"<span><i style=\"background:{owner.Color}\"></i>{Name(owner, space)}{count}</span>");
    }

    private static string Name(PageOwner owner, SpaceReport space) => owner switch
    {
        { Tree: >= 0 } => PicturePage.NameOf(space.Trees[owner.Tree]),
        { Use: PageUse.Free } => "(free)",
        { Use: PageUse.Held } => "(held)",
        { Use: PageUse.Catalog } => "(catalog)",
        _ => "(headers and space maps)",
    };
}
