using Voron.Storage.Format;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// The pages whose image for N is in a page chunk and not in the data file, in page order, and the tables on disk that list them. One
/// list serves all checkpoints of an environment: a checkpoint changes it in place once its image set is complete.
/// </summary>
internal sealed class DeferredPages
{
    private const int EntriesPerBlock = FormatConstants.BlockBytes / ImageEntry.SizeBytes;

    /// <summary>A linked table takes at least a block. A full table is not written only to replace this number of blocks.</summary>
    private const int FewBlocks = 8;

    private readonly List<long> _tableChunks = [];
    private ImageEntry[] _entries = [];
    private int _count;
    private long _listed;
    private long _blocks;

    internal ReadOnlySpan<ImageEntry> Entries => _entries.AsSpan(0, _count);

    /// <summary>The link to the newest table, which the next table can link to; 0 entries if there is none.</summary>
    internal ImageEntry Link { get; private set; }

    /// <summary>Page chunks that hold that table and the ones that it links to, in ascending order.</summary>
    internal IReadOnlyList<long> TableChunks => _tableChunks;

    /// <summary>Returns whether the page, or a run that it belongs to, is in the list.</summary>
    internal bool Covers(PageNumber page)
    {
        foreach (ref readonly ImageEntry entry in Entries)
        {
            if (page >= entry.PageNumber && page < entry.PageNumber + entry.PageCount)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Decides whether the next table lists all pages. Linked tables grow to at most twice the entries and twice the blocks of a table of
    /// all pages, so each change is written about twice, and recovery reads about two such tables.
    /// </summary>
    internal bool NeedsFullTable(long kept, long added, long removed)
    {
        long live = kept + added;
        long changes = 1 + added + removed;
        return kept == 0
            || Link.PageCount == 0
            || _listed + changes > 2 * live
            || _blocks + BlocksOf(changes) > Math.Max(FewBlocks, 2 * BlocksOf(live));
    }

    /// <summary>Replaces the list by that of the image set that is complete now.</summary>
    /// <param name="kept">Places in <see cref="Entries"/> of the pages that stay, ascending.</param>
    /// <param name="added">Pages that are added, in page order.</param>
    /// <param name="table">The link to the table that was written.</param>
    /// <param name="isFull">Whether it lists all pages and links to no other table.</param>
    internal void Change(List<int> kept, ReadOnlySpan<ImageEntry> added, ImageEntry table, bool isFull)
    {
        Resize(kept, kept.Count + added.Length);
        int from = kept.Count;
        for (int next = added.Length; next > 0;)
        {
            bool isKept = from > 0 && _entries[from - 1].PageNumber > added[next - 1].PageNumber;
            _entries[from + next - 1] = isKept ? _entries[from - 1] : added[next - 1];
            from -= isKept ? 1 : 0;
            next -= isKept ? 0 : 1;
        }

        bool hasOnlyLink = !isFull && table.PageCount == 1;
        if (!hasOnlyLink)
        {
            NoteTable(table, isFull);
        }
    }

    /// <summary>Adds the page chunks that hold a page of the list, or a table of it.</summary>
    internal void AddChunks(HashSet<long> needed)
    {
        foreach (ref readonly ImageEntry entry in Entries)
        {
            needed.Add(entry.Sequence);
        }

        needed.UnionWith(_tableChunks);
    }

    /// <summary>
    /// Moves the entries that stay to the front. Makes room for this number of entries, and frees memory far beyond that.
    /// </summary>
    private void Resize(List<int> kept, int count)
    {
        ImageEntry[] old = _entries;
        if (count > old.Length || count < old.Length / 4)
        {
            _entries = count == 0 ? [] : new ImageEntry[count + (count / 4)];
        }

        for (int i = 0; i < kept.Count; i++)
        {
            _entries[i] = old[kept[i]];
        }

        _count = count;
    }

    private void NoteTable(ImageEntry table, bool isFull)
    {
        if (isFull)
        {
            _tableChunks.Clear();
            (_listed, _blocks) = (0, 0);
        }

        Link = table;
        _listed += table.PageCount;
        _blocks += BlocksOf(table.PageCount);
        if (table.PageCount > 0 && (_tableChunks.Count == 0 || _tableChunks[^1] != table.Sequence))
        {
            _tableChunks.Add(table.Sequence);
        }
    }

    private static long BlocksOf(long entries) => (entries + EntriesPerBlock - 1) / EntriesPerBlock;
}
