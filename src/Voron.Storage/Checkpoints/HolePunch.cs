using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Gives the space of large free runs in the middle of the data file back to the file system. Only pages that nobody can look at: neither
/// the newest header slot's snapshot nor the one's before has them, no state after it has taken them, and no reader finds old content
/// there. A run is punched once and is written again like any other when it is used. That the older slot's snapshot counts is a second
/// belt: should the newer slot be lost, the older one leads to the newest batch, which is complete.
/// </summary>
internal sealed class HolePunch(DatabaseParts parts)
{
    /// <summary>A hole is large when it is a sixteenth of the file, within these bounds.</summary>
    private const int Share = 16;

    private const long LeastBytes = 32 << 10;
    private const long EnoughBytes = 256 << 10;

    /// <summary>So many are looked at, under the writer lock and the gate, and punched at a time.</summary>
    private const long PiecePages = 2048;

    private readonly DataFile _file = parts.File;
    private readonly VersionTable _versions = parts.Versions;
    private readonly SpaceLayout _layout = new(parts.File.PageBytes);
    private readonly List<long> _live = [];
    private bool _isRefused;

    /// <summary>The header of <paramref name="now"/> is durable; the other slot is that of <paramref name="before"/>.</summary>
    internal void Punch(UsedPages before, UsedPages now, bool ownsWriterLock)
    {
        long least = Math.Clamp(_file.Bytes / Share, LeastBytes, EnoughBytes) / _file.PageBytes;
        long end = now.EndPage;
        long first = 0;
        while (!_isRefused && (first = FirstFree(before, now, first, end)) < end)
        {
            long behind = Math.Min(now.Find(used: true, first, end), before.Find(used: true, first, end));
            for (long page = first; behind - first >= least && page < behind; page += PiecePages)
            {
                PunchPiece(page, Math.Min(PiecePages, behind - page), ownsWriterLock);
            }

            first = behind;
        }
    }

    /// <summary>The first page from this one on that is free in both.</summary>
    private static long FirstFree(UsedPages before, UsedPages now, long from, long end)
    {
        while (true)
        {
            long page = now.Find(used: false, from, end);
            from = before.Find(used: false, page, end);
            if (from == page)
            {
                return page;
            }
        }
    }

    /// <summary>The writer lock keeps everybody from taking the pages meanwhile; when somebody has it there is another time.</summary>
    private void PunchPiece(long page, long count, bool ownsWriterLock)
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

    /// <summary>The newest state, which may not be on disk for long, has a use for one of these pages.</summary>
    private bool IsTaken(long page, long count)
    {
        for (long p = page; p < page + count; p++)
        {
            ReadOnlySpan<ulong> words =
                SpaceMap.ReadWords(parts.Source, _layout, _layout.GroupOf(p), parts.Pipeline.LastSealed.Value);
            int bit = _layout.BitOf(p);
            if ((words[bit >> 6] >> (bit & 63) & 1) != 0)
            {
                return true;
            }
        }

        return false;
    }

    private bool IsRead(long page, long count)
    {
        _live.Clear();
        parts.Readers.CollectSnapshots(_live);
        using (_versions.Gate.Hold())
        {
            return _versions.IsReadFromFile(page, count, CollectionsMarshal.AsSpan(_live));
        }
    }
}
