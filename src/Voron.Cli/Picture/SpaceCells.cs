using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>The data file in cells of equally many pages, with the number of pages of each use in them.</summary>
internal sealed class SpaceCells
{
    /// <summary>More cells make no better picture, only a longer page.</summary>
    private const int MostCells = 3072;

    private readonly List<Dictionary<PageOwner, long>> _cells = [];

    internal SpaceCells(long pages) => PagesPerCell = (pages + MostCells - 1) / MostCells;

    internal long PagesPerCell { get; }

    internal int Count => _cells.Count;

    /// <summary>The uses in a cell, the one with the most pages first.</summary>
    internal IEnumerable<KeyValuePair<PageOwner, long>> UsesOf(int cell) =>
        _cells[cell].OrderByDescending(static use => use.Value).ThenBy(static use => use.Key.Tree).ThenBy(static use => use.Key.Use);

    internal void Add(PageRun run)
    {
        // Pages that are in memory only may be far beyond the file: they share the last cell.
        PageOwner owner = PageOwner.Of(run);
        for (long page = run.FirstPage; page < run.FirstPage + run.Pages;)
        {
            int cell = (int)Math.Min(page / PagesPerCell, MostCells - 1);
            long end = cell == MostCells - 1 ? run.FirstPage + run.Pages
                : Math.Min(run.FirstPage + run.Pages, (cell + 1) * PagesPerCell);
            while (_cells.Count <= cell)
            {
                _cells.Add([]);
            }

            _cells[cell][owner] = _cells[cell].GetValueOrDefault(owner) + end - page;
            page = end;
        }
    }
}
