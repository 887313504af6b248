using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>
/// Moves the runs of long values to free pages nearer to the beginning of the file. The copy is a run in memory like that of any new value,
/// which a checkpoint writes, and no record of the journal names it.
/// <para>A value that was placed by its transaction is named by that transaction's record, and recovery looks for it where the record says.
/// So it is moved only once the snapshot on disk reaches it: no record that recovery replays is older than that snapshot. Readers in other
/// processes replay from the checkpoint at which they came, and while there are any, nothing placed is moved. Nor is what a kept
/// position of a feed has not passed.</para>
/// </summary>
internal sealed class RunMove(PageWriter pages)
{
    /// <summary>Runs of this length or longer found no room in this step.</summary>
    private long _tooLong;

    /// <summary>Pages moved in this step.</summary>
    internal int Moved { get; private set; }

    internal void Begin() => (_tooLong, Moved) = (long.MaxValue, 0);

    /// <summary>Moves a value, or as many of its pieces as the step may; returns the reference to where it is now.</summary>
    internal OverflowReference MoveValue(OverflowReference reference, in MoveBounds bounds, ref int spent, out bool isCutShort)
    {
        isCutShort = false;
        return reference.IsList
            ? MoveList(reference, bounds, ref spent, out isCutShort)
            : MoveRun(reference, bounds, ref spent, ref isCutShort);
    }

    private OverflowReference MoveList(OverflowReference list, in MoveBounds bounds, ref int spent, out bool isCutShort)
    {
        OverflowReference[] pieces = pages.Source.ReadList(list, pages.TransactionId).ToArray();
        bool areMoved = false;
        isCutShort = false;
        for (int i = 0; i < pieces.Length && !isCutShort; i++)
        {
            OverflowReference moved = MoveRun(pieces[i], bounds, ref spent, ref isCutShort);
            areMoved |= moved.FirstPage != pieces[i].FirstPage;
            pieces[i] = moved;
        }

        if (!areMoved)
        {
            bool isStaying = false;
            OverflowReference run = MoveRun(list.Run, bounds, ref spent, ref isStaying);
            isCutShort |= isStaying;
            run.ValueBytes = list.ValueBytes;
            return run;
        }

        OverflowReference changed = PieceList.Of(pages, pieces);
        pages.FreeRun(list.Run);
        spent += (int)OverflowReference.PagesOf(list.Run.ValueBytes, pages.PageBytes);
        return changed;
    }

    /// <summary>Moves a run if it should be, may be and has somewhere to go; if only the step has no pages left, sets a flag.</summary>
    private OverflowReference MoveRun(OverflowReference run, in MoveBounds bounds, ref int spent, ref bool isCutShort)
    {
        long count = OverflowReference.PagesOf(run.ValueBytes, pages.PageBytes);
        if (!bounds.IsBeyond(run.FirstPage, count) || count >= _tooLong || !IsMovable(run, bounds))
        {
            return run;
        }

        if (spent >= bounds.MostPages)
        {
            isCutShort = true;
            return run;
        }

        ReadOnlySpan<byte> value = pages.Source.ReadOverflow(run, pages.TransactionId);
        OverflowReference copy = pages.AllocateOverflow(run.ValueBytes, out Span<byte> content);
        if (copy.FirstPage >= run.FirstPage)
        {
            pages.FreeRun(copy);
            _tooLong = count;
            return run;
        }

        value.CopyTo(content);
        pages.FreeRun(run);
        spent += (int)count;
        Moved += (int)count;
        return copy;
    }

    private bool IsMovable(OverflowReference run, in MoveBounds bounds)
    {
        OverflowHeader header = MemoryMarshal.Read<OverflowHeader>(
            pages.Source.Read(run.FirstPage, pages.TransactionId).WholePage(pages.PageBytes));
        if ((header.Flags & OverflowHeader.FromCheckpoint) != 0)
        {
            return true;
        }

        if (header.TransactionId > bounds.LastPlacedBy)
        {
            return false;
        }

        // Asked last: a reader that comes after this comes to that snapshot, or to a later one.
        return IsOnDisk(run.FirstPage) && !bounds.IsFollowed();
    }

    private bool IsOnDisk(PageNumber page)
    {
        PagesOnDisk onDisk = pages.Space.OnDisk;
        using (onDisk.Gate.Hold())
        {
            return onDisk.Used is { } used && used.IsUsed(page);
        }
    }
}
