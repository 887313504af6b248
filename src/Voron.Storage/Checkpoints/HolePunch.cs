using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Gives the space of large free runs inside the data file back to the file system. Only pages that nothing can read: neither the snapshot
/// of the newest header slot nor that of the older one has them, no later state has taken them, and no reader finds old content there. A
/// run is punched once and is written like any other when it is used again. (If the newer slot is lost, the older one leads to the newest
/// image set, which is complete; respecting its snapshot is a second safeguard.)
/// </summary>
internal sealed class HolePunch(DatabaseParts parts)
{
    /// <summary>Shortest hole worth punching: a sixteenth of the file, within these bounds.</summary>
    private const int Share = 16;

    private const long LeastBytes = 32 << 10;
    private const long EnoughBytes = 256 << 10;

    /// <summary>Pages that are checked, under the writer lock and the gate, and punched at a time.</summary>
    private const long PiecePages = 2048;

    private readonly DataFile _file = parts.File;
    private readonly VersionTable _versions = parts.Versions;
    private readonly SpaceLayout _layout = new(parts.File.PageBytes);
    private readonly List<TransactionId> _live = [];
    private bool _isRefused;

    /// <summary>The header of <paramref name="now"/> is durable; the other slot is that of <paramref name="before"/>.</summary>
    internal void Punch(UsedPages before, UsedPages now, bool ownsWriterLock)
    {
        long least = Math.Clamp(_file.Bytes / Share, LeastBytes, EnoughBytes) / _file.PageBytes;
        PageNumber end = now.EndPage;
        PageNumber first = default;
        while (!_isRefused && (first = FirstFree(before, now, first, end)) < end)
        {
            PageNumber behind = PageNumber.Min(now.Find(used: true, first, end), before.Find(used: true, first, end));
            for (PageNumber page = first; behind - first >= least && page < behind; page += PiecePages)
            {
                PunchPiece(page, Math.Min(PiecePages, behind - page), ownsWriterLock);
            }

            first = behind;
        }
    }

    /// <summary>Returns the first page from this one on that is free in both.</summary>
    private static PageNumber FirstFree(UsedPages before, UsedPages now, PageNumber from, PageNumber end)
    {
        while (true)
        {
            PageNumber page = now.Find(used: false, from, end);
            from = before.Find(used: false, page, end);
            if (from == page)
            {
                return page;
            }
        }
    }

    /// <summary>
    /// Punches a run under the writer lock, so that no transaction takes the pages meanwhile. If another thread holds the lock, the run is
    /// left for another time.
    /// </summary>
    private void PunchPiece(PageNumber page, long count, bool ownsWriterLock)
    {
        if (_file.IsPunched(page, count) || (!ownsWriterLock && !parts.Pipeline.Lock.TryEnter(TimeSpan.Zero)))
        {
            return;
        }

        try
        {
            bool isTaken = IsTaken(page, count);
            bool isInDoubt = parts.Placed.IsFreedByUndurable(page, count);
            if (!isTaken && !isInDoubt && !IsRead(page, count))
            {
                _isRefused = !_file.TryPunch(page, count);
            }
        }
        finally
        {
            if (!ownsWriterLock)
            {
                parts.Pipeline.LeaveWriterLock();
            }
        }
    }

    /// <summary>Whether the newest state, which may be far from being on disk, uses one of these pages.</summary>
    private bool IsTaken(PageNumber page, long count)
    {
        for (PageNumber p = page; p < page + count; p++)
        {
            ReadOnlySpan<ulong> words =
                SpaceMap.ReadWords(parts.Source, _layout, _layout.GroupOf(p), parts.Pipeline.LastSealed);
            int bit = _layout.BitOf(p);
            if ((words[bit >> 6] >> (bit & 63) & 1) != 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a reader, or a consumer of the changes, reads one of these pages.</summary>
    private bool IsRead(PageNumber page, long count)
    {
        if (parts.Pages.Space.Reserved.HasAny(page, count))
        {
            return true;
        }

        _live.Clear();
        parts.Readers.CollectSnapshots(_live);
        using (_versions.Gate.Hold())
        {
            return _versions.IsReadFromFile(page, count, CollectionsMarshal.AsSpan(_live));
        }
    }
}
