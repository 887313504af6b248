using System.Globalization;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Checks;

/// <summary>
/// Checks one snapshot: every page valid, every node in order and inside the bounds of its parent, every page reachable once or free once,
/// all counts true. Damage becomes a finding and the walk continues beside it; it is not thrown. Reads like any other reader, but the file
/// by position, beside writers and checkpoints.
/// </summary>
/// <param name="source">Where pages are read.</param>
/// <param name="snapshot">The registered snapshot.</param>
/// <param name="groups">Groups whose space map is in the data file; more of them may be in memory.</param>
internal sealed class SnapshotCheck(PageSource source, TransactionId snapshot, long groups)
{
    private const int MaxFindings = 1000;

    private readonly List<CheckFinding> _findings = [];
    private readonly ReachedPages _reached = new(PageNumber.Max(source.Mapped.EndPage, source.Versions.EndPage));
    private long _usedCount;
    private long _entries;
    private IProgress<double>? _progress;
    private CancellationToken _cancellation;

    internal CheckReport Run(IProgress<double>? progress, CancellationToken cancellation)
    {
        _progress = progress;
        _cancellation = cancellation;
        SpaceLayout layout = new(source.PageBytes);
        UsedPages used = UsedPages.Load(source, groups, snapshot, Find);
        _usedCount = used.Count;
        for (PageNumber page = default; page < FormatConstants.CatalogRootPage; page++)
        {
            Reach(page, 1, "header slot");
        }

        for (long group = 0; group < used.Groups; group++)
        {
            if (group % layout.GroupsPerExtent == 0)
            {
                Reach(layout.MapPage(group), layout.GroupsPerExtent, "space map");
            }
        }

        CheckCatalog();
        CompareWithSpaceMap(used);
        _progress?.Report(1.0);
        return new CheckReport(_findings, _reached.Count, _entries);
    }

    internal void Find(PageNumber page, string message)
    {
        if (_findings.Count < MaxFindings)
        {
            _findings.Add(new CheckFinding(page.Value, message));
        }
    }

    /// <summary>Notes that a tree or table reaches these pages; false if one of them was reached before.</summary>
    internal bool Reach(PageNumber page, long count, string by)
    {
        _cancellation.ThrowIfCancellationRequested();
        if (page.Value < 0 || count > _reached.EndPage - page)
        {
            Find(page, $"Page {page} (of {count}), reached by {by}, lies beyond the database.");
            return false;
        }

        bool first = true;
        for (PageNumber p = page; p < page + count; p++)
        {
            if (!_reached.Add(p))
            {
                Find(p, $"Page {p} is reached twice, the second time by {by}.");
                first = false;
            }
        }

        if ((_reached.Count & 0xFFF) == 0)
        {
            _progress?.Report(Math.Min(1.0, _reached.Count / (double)Math.Max(1, _usedCount)));
        }

        return first;
    }

    private void CheckCatalog()
    {
        TreeWalk walk = new(this, source, snapshot, "the catalog");
        walk.Run(FormatConstants.CatalogRootPage);
        _entries += walk.Entries;
        foreach ((byte[] name, byte[] value) in walk.CatalogRows)
        {
            if (name.Length is 0 or > FormatConstants.MaxNameBytes)
            {
                string words = $"of {name.Length} bytes, which cannot be: a name has 1 to {FormatConstants.MaxNameBytes}";
                Find(FormatConstants.CatalogRootPage, $"The catalog has a tree name {words}.");
            }

            CheckTree(KeyText.Of(name), value);
        }
    }

    private void CheckTree(string name, byte[] value)
    {
        if (!TreeRecord.TryRead(value, out TreeRecord record))
        {
            string lengths = $"{value.Length} bytes instead of {TreeRecord.ShortBytes}";
            Find(FormatConstants.CatalogRootPage, $"The record of tree '{name}' has {lengths}.");
            return;
        }

        if (!record.Shape.IsPossible || record.EntryCount < 0)
        {
            string words = string.Create(CultureInfo.InvariantCulture, $"kind {(byte)record.Kind} and {record.EntryCount} entries");
            Find(FormatConstants.CatalogRootPage, $"The record of tree '{name}' names {words}, which cannot be.");
            return;
        }

        BlockCheck? blocks = BlockCheck.Of(record);
        TreeWalk walk = new(this, source, snapshot, $"tree '{name}'", blocks);
        walk.Run(record.RootPage);
        _entries += walk.Entries;
        long pending = record.Kind == TreeKind.WriteOptimized ? 0 : PendingEntry.CountAdded(source, snapshot, record.RootPage);
        if (walk.IsComplete && walk.Entries + pending != record.EntryCount)
        {
            string counts = string.Create(
                CultureInfo.InvariantCulture,
                $"{record.EntryCount} entries, its leaves hold {walk.Entries} and {pending} more are pending");
            Find(record.RootPage, $"The record of tree '{name}' says {counts}.");
        }
    }

    private void CompareWithSpaceMap(UsedPages used)
    {
        PageNumber end = PageNumber.Max(used.EndPage, _reached.EndPage);
        PageNumber First(PageNumber from) => PageNumber.Min(used.Find(used: true, from, end), _reached.Find(from, end));
        for (PageNumber page = First(default); page < end; page = First(page + 1))
        {
            bool isUsed = used.IsUsed(page);
            bool isReached = page < _reached.EndPage && _reached.Contains(page);
            if (isUsed != isReached && used.IsKnown(page))
            {
                Find(page, isUsed ? $"Page {page} is in use but nothing reaches it." : $"Page {page} is reached but marked free.");
            }
        }
    }
}
